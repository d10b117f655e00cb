"""How much memory a program of its own takes: text to begin it with."""

__all__ = ["PEAK"]

PEAK = '''
import resource, sys

def peak():
    """Return the most bytes that this process has held in memory."""
    if sys.platform == "darwin":
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM"))
'''
"""Linux hands ``ru_maxrss`` down from the process that starts another: ``VmHWM`` begins anew."""
