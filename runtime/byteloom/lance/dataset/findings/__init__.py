"""What is wrong with the versions of a Lance dataset, whether or not rows can be read without it.

`dataset_findings` is about all versions, with all files that they name, tags and branches;
`manifest_findings` about one manifest by itself.

- Readers rely on different parts of a manifest: what one ignores, another one refuses, or returns
  other rows for.  So every number that follows from others, and every name, is checked.
- What several versions share is checked once, and one cause has one finding.

Source: https://lance.org/format/table/
"""

from byteloom.lance.dataset.findings.manifest import manifest_findings
from byteloom.lance.dataset.findings.versions import dataset_findings

__all__ = ["dataset_findings", "manifest_findings"]


def __dir__() -> list[str]:
    return __all__
