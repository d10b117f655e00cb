"""The third form of a spec: scanners, which turn repeated records into Arrow columns."""
