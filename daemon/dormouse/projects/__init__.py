"""From a working directory to a project and a branch. It starts no program and trusts no pointer.

A project is what the disk says, never what a client, a name or a remote claims: the identity is the
inode (and birth) of the repository's common folder, or the path of a plain folder.
"""

from dormouse.projects.fingerprints import fingerprint
from dormouse.projects.heads import head_commit
from dormouse.projects.locating import locate
from dormouse.projects.matching import adopt, match
from dormouse.projects.values import Known, Match, Place

__all__ = ["Known", "Match", "Place", "adopt", "fingerprint", "head_commit", "locate", "match"]
