"""Copies an ntuple to Parquet: write_parquet.py FILE NTUPLE CODEC PARQUET. A row group has a twentieth of the entries."""

import sys

import awkward as ak
import pyarrow.parquet
import uproot

file, ntuple, codec, parquet = sys.argv[1:]
source = uproot.open(file)[ntuple]
step, writer = -(-source.num_entries // 20), None
for arrays in source.iterate(step_size=step):
    table = ak.to_arrow_table(arrays, extensionarray=False, list_to32=True, string_to32=True)
    writer = writer or pyarrow.parquet.ParquetWriter(parquet, table.schema, compression=codec)
    writer.write_table(table, row_group_size=step)
writer.close()
