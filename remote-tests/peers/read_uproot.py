"""Reads an ntuple with uproot: read_uproot.py URL NTUPLE [COLUMN ..]. Prints seconds, user and system time, entries."""

import resource
import sys
import time

import uproot

url, ntuple, *columns = sys.argv[1:]
begun, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF)
arrays = uproot.open(url)[ntuple].arrays(columns or None)
seconds, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_SELF)
print(seconds, after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime, len(arrays))
