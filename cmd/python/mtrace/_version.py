"""The version, which packing writes."""

__version__: str = "0.0.0"
