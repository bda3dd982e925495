#!/usr/bin/env node
// Reads all objects of a ROOT file with JSROOT and prints what they are as one JSON document.
//
//     node jsroot_objects.mjs FILE --modules DIR
//
// DIR is the folder that holds node_modules/jsroot. The document is that of objects.py: a tree's value is its number of
// entries and its branches with all values, a histogram's is its array, an ntuple's its number of entries.

import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [path, flag, folder] = process.argv.slice(2);
if (!path || flag !== '--modules' || !folder) {
  process.stderr.write('usage: node jsroot_objects.mjs FILE --modules DIR\n');
  process.exit(2);
}
const print = console.log;
// What JSROOT says is not a part of the document.
for (const method of ['log', 'info', 'warn', 'debug'])
  console[method] = (...parts) => process.stderr.write(parts.join(' ') + '\n');

const part = name => import(pathToFileURL(join(resolve(folder), 'node_modules', 'jsroot', 'modules', name)).href);
const { openFile } = await part('io.mjs');
const { TSelector, treeProcess } = await part('tree.mjs');
const { readHeaderFooter } = await part('rntuple.mjs');

class All extends TSelector {
  constructor(names) {
    super();
    this.names = names;
    this.values = Object.fromEntries(names.map(name => [name, []]));
    names.forEach(name => this.addBranch(name));
  }
  Process() {
    for (const name of this.names) {
      const value = this.tgtobj[name];
      this.values[name].push(typeof value === 'object' ? Array.from(value) : value);
    }
  }
}

async function value(object, kind) {
  if (kind === 'TTree') {
    const all = new All(object.fBranches.arr.map(branch => branch.fName));
    await treeProcess(object, all);
    return { entries: Number(object.fEntries), branches: all.values };
  }
  if (kind.startsWith('TH'))
    return { values: Array.from(object.fArray) };
  if (kind.startsWith('ROOT::RNTuple')) {
    await readHeaderFooter(object);
    return { entries: object.builder.clusterSummaries.reduce((sum, cluster) => sum + Number(cluster.numEntries), 0) };
  }
  return null;
}

const objects = {};
async function walk(file, directory, prefix) {
  for (const key of directory.fKeys) {
    const name = `${prefix}${key.fName}`, kind = key.fClassName;
    if (kind === 'StreamerInfo' || key.fName === 'StreamerInfo')
      continue;
    const object = await file.readObject(`${name};${key.fCycle}`);
    if (kind === 'TDirectory' || kind === 'TDirectoryFile') {
      objects[`${name};${key.fCycle}`] = { class: kind, value: null };
      await walk(file, object, `${name}/`);
    } else
      objects[`${name};${key.fCycle}`] = { class: kind, value: await value(object, kind) };
  }
}

const file = await openFile(resolve(path));
await walk(file, file, '');
print(JSON.stringify({ peer: 'jsroot', objects }));
