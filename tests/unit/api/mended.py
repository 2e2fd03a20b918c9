"""A home with a backup, whose memory a test damages and a service of this process opens."""

from pathlib import Path

from dormouse.api import exchanging
from dormouse.api.opening import open_from_disk
from dormouse.api.service import Service
from dormouse.facts import Look
from dormouse.keys import KeySlots
from dormouse.main import open_memory, set_up
from dormouse.times import system_clock
from dormouse_wire.paths import Home
from tests.unit.ledger import store

PAGE = 4096


class Mended:
    """A home with a backup, whose memory a test damages and a service opens."""

    def __init__(self, folder: Path) -> None:
        self.home = Home(folder / "home")
        self.home.root.mkdir(mode=0o700)
        set_up(self.home, {"slots": ["keyfile"], "key_folder": str(folder / "keys")})
        self.slots = KeySlots.load(self.home.keyslots)
        self.key = self.slots.open_with_keyfile()
        self.backup = folder / "backup.db"
        memory = open_memory(self.home, self.key, system_clock)
        for number in range(100):
            store.say(memory.ledger, f"fact {number} is {number}")
        memory.ledger.backup(self.backup)
        memory.close()
        self.whole = self.home.ledger.read_bytes()

    def damage(self, at: int) -> bytes:
        content = bytearray(self.whole)
        content[at : at + 16] = bytes(byte ^ 0xFF for byte in content[at : at + 16])
        self.home.ledger.write_bytes(content)
        return bytes(content)

    def service(self) -> Service:
        service = Service(self.home, lambda key: open_memory(self.home, key, system_clock))
        open_from_disk(service)
        return service

    async def restore(self, service: Service) -> tuple[dict[str, object], int]:
        """What is told, and how many facts there are then."""
        try:
            looked = exchanging.look(service, self.slots, self.backup)
            told = await exchanging.restore(service, self.backup, looked)
            facts = await service.need().read(lambda r: r.facts(Look(everything=True)))
            return told, len(facts)
        finally:
            await service.close()
