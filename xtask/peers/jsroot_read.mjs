#!/usr/bin/env node
// Reads every RNTuple of a ROOT file with JSROOT and prints schema and values as one JSON document.
//
//     node jsroot_read.mjs FILE.. --modules DIR [--out OUT.json | --out-dir OUT]
//
// One file, or with --out-dir any number of them: each NAME.root makes an OUT/NAME.json.
//
// DIR is the folder that holds node_modules/jsroot; without --modules, the environment variable
// JSROOT_MODULES is taken. The document and the form of the values are those of uproot_read.py (see
// there), with "peer": "jsroot". Every top-level field is under "values" or under "unreadable".
// Exit code 0 when all documents were written, 1 when a file cannot be opened, 2 for wrong arguments.
//
// What JSROOT says on the console goes to stderr, and into the reasons of "unreadable".
//
// The schema is walked in step with JSROOT's values, so the role of a field decides the form of its
// values; where JSROOT gives something else (for an untyped collection, an optional or an RVec the
// bare number of its index column) the field is unreadable. What JSROOT gets wrong in a value stays
// wrong here, e.g. it rounds 64-bit integers to doubles and takes the bytes of a string for signed
// UTF-16 units (0xC3 becomes U+FFC3): it is for the comparer to know.
// Fields with a collection or string below them are read a second time, every cluster on its own
// ("values_by_cluster"). The values must be the same, but are not: at the start of a cluster JSROOT
// forgets the last offset of the field itself, but not those of what is below it.
// A streamer field is decoded by JSROOT: {"decoded": object}; its bytes cannot be had.

import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const COLUMN_TYPES = [
  'Bit', 'Byte', 'Char', 'Int8', 'UInt8', 'Int16', 'UInt16', 'Int32', 'UInt32', 'Int64', 'UInt64',
  'Real16', 'Real32', 'Real64', 'Index32', 'Index64', 'Switch', 'SplitInt16', 'SplitUInt16',
  'SplitInt32', 'SplitUInt32', 'SplitInt64', 'SplitUInt64', 'SplitReal16', 'SplitReal32',
  'SplitReal64', 'SplitIndex32', 'SplitIndex64', 'Real32Trunc', 'Real32Quant',
];
const PLAIN = 0, COLLECTION = 1, RECORD = 2, VARIANT = 3, STREAMER = 4;
const ROLES = ['plain', 'collection', 'record', 'variant', 'streamer'];

const nameOf = (table, number) => table[number] ?? `0x${number.toString(16).padStart(2, '0')}`;

// --- what JSROOT says ---------------------------------------------------------------------------

let said = [];
for (const method of ['log', 'info', 'warn', 'error', 'debug']) {
  console[method] = (...parts) => {
    const line = parts.map(part => (part instanceof Error ? String(part) : `${part}`)).join(' ');
    said.push(line);
    process.stderr.write(line + '\n');
  };
}

/** One line for an error, with what JSROOT printed since the last call: it swallows its own errors. */
function reason(error) {
  const parts = [...said.splice(0), ...(error ? [String(error)] : [])];
  return [...new Set(parts)].join('; ').replace(/\s+/g, ' ').slice(0, 300) || 'no reason given';
}

// --- JSON ---------------------------------------------------------------------------------------

/** JSON already in text: integers beyond 2^53 and -0.0 do not survive JSON.stringify. */
class Raw {
  constructor(text) { this.text = text; }
}

function json(value) {
  if (value instanceof Raw)
    return value.text;
  if (typeof value === 'bigint')
    return value.toString();
  if (Array.isArray(value))
    return `[${value.map(json).join(',')}]`;
  if ((value !== null) && (typeof value === 'object')) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${json(member)}`).join(',')}}`;
  }
  return JSON.stringify(value);
}

function float(value) {
  if (!Number.isFinite(value))
    return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';
  if (!Number.isInteger(value))
    return new Raw(String(value));
  return new Raw(`${Object.is(value, -0) ? '-0' : BigInt(value)}.0`);
}

// --- schema -------------------------------------------------------------------------------------

const word = number => (number ? Number(number) : undefined);

/** The fields of header and schema extension, as JSROOT parsed them. */
function schema(builder) {
  const fields = builder.fieldDescriptors.map((field, id) => ({
    id,
    parent: field.parentFieldId === id ? null : field.parentFieldId,
    name: field.fieldName,
    type: field.typeName,
    role: nameOf(ROLES, field.structRole),
    columns: [],
    type_alias: field.typeAlias || undefined,
    description: field.description || undefined,
    repetitions: word(field.arraySize),
    projection_source: field.sourceFieldId ?? undefined,
    type_version: word(field.typeVersion),
    type_checksum: field.checksum ?? undefined,
  }));
  builder.columnDescriptors.forEach((column, id) => {
    fields[column.fieldId].columns.push({
      id,
      type: nameOf(COLUMN_TYPES, column.coltype),
      bits: column.bitsOnStorage,
      repidx: word(column.representationIndex),
      first: word(column.firstElementIndex),
      min: column.minValue === null ? undefined : float(column.minValue),
      max: column.maxValue === null ? undefined : float(column.maxValue),
    });
  });
  for (const alias of builder.aliasColumns)
    (fields[alias.fieldId].aliases ??= []).push(alias.physicalColumnId);
  return fields;
}

// --- values -------------------------------------------------------------------------------------

const TAG = 'alternative ';

/**
 * Makes JSROOT tell which alternative of a variant is active. It reads the tag but returns only the
 * value. So each alternative is wrapped, in JSROOT's own description, in a class with one member,
 * and the class name, which JSROOT puts into each object, is the tag. What is read stays the same.
 */
function wrapAlternatives(builder) {
  const fields = builder.fieldDescriptors, count = fields.length;
  const number = new Map();
  for (let id = 0; id < count; ++id) {
    const field = fields[id], parent = field.parentFieldId;
    if ((parent === id) || (fields[parent]?.structRole !== VARIANT))
      continue;
    const tag = (number.get(parent) ?? 0) + 1;
    number.set(parent, tag);
    // Children are found by parent id in the order of the list, so the wrappers keep their order.
    fields.push({
      fieldName: '', typeName: `${TAG}${tag}`, structRole: RECORD, flags: 0, checksum: 1,
      typeAlias: '', description: '', arraySize: null, sourceFieldId: null, parentFieldId: parent,
    });
    field.parentFieldId = fields.length - 1;
  }
}

class Walk {
  constructor(fields) {
    this.fields = fields;
    this.children = fields.map(() => []);
    for (const field of fields) {
      if (field.parent !== null)
        this.children[field.parent].push(field);
    }
  }

  value(field, given) {
    const children = this.children[field.id];
    switch (ROLES.indexOf(field.role)) {
      case PLAIN:
        if (field.repetitions !== undefined)
          return children.length ? this.array(field, children[0], given) : this.bitset(field, given);
        if (field.type === 'std::string')
          return this.expect(field, given, typeof given === 'string', 'a string');
        if (!field.columns.length && (children.length === 1))
          return this.value(children[0], given); // atomic, enum
        return this.scalar(field, given);
      case COLLECTION:
        this.expect(field, given, Array.isArray(given), 'a list');
        this.expect(field, given, children.length === 1, 'items of one field');
        return given.map(item => this.value(children[0], item));
      case RECORD:
        return this.record(field, children, given);
      case VARIANT:
        return this.variant(field, children, given);
      case STREAMER:
        return { decoded: generic(this.expect(field, given, isObject(given), 'an object')) };
    }
    throw new Error(`${this.path(field)}: no values for a field of role ${field.role}`);
  }

  array(field, child, given) {
    const fits = Array.isArray(given) && (given.length === field.repetitions);
    return this.expect(field, given, fits, `a list of ${field.repetitions}`)
      .map(item => this.value(child, item));
  }

  /** JSROOT gives a number, or a BigInt beyond 48 bits. */
  bitset(field, given) {
    this.expect(field, given, Number.isInteger(given) || (typeof given === 'bigint'), 'an integer');
    // Up to 32 bits, bit 31 makes it negative.
    const bits = field.repetitions <= 32 ? BigInt(given >>> 0) : BigInt(given);
    return Array.from({ length: field.repetitions }, (_, i) => ((bits >> BigInt(i)) & 1n) === 1n);
  }

  record(field, children, given) {
    this.expect(field, given, isObject(given), 'an object');
    const pair = field.type.startsWith('std::pair<');
    const record = {};
    for (const [index, child] of children.entries()) {
      const key = pair ? ['first', 'second'][index] : child.name;
      this.expect(field, given, Object.hasOwn(given, key), `an object with member ${key}`);
      record[child.name] = this.value(child, given[key]);
    }
    return record;
  }

  variant(field, children, given) {
    if (given === null)
      return { variant: 0, value: null };
    const tagged = isObject(given) && String(given._typename).startsWith(TAG);
    this.expect(field, given, tagged, 'the value of an alternative');
    const tag = Number(given._typename.slice(TAG.length)), child = children[tag - 1];
    return { variant: tag, value: this.value(child, given[child.name]) };
  }

  /** The column, not the value, says whether a number is an integer. */
  scalar(field, given) {
    const type = field.columns[0]?.type;
    switch (type) {
      case 'Bit':
        return this.expect(field, given, typeof given === 'boolean', 'a bool');
      case 'Char': // a string of one UTF-16 unit, made from a signed byte
        return this.expect(field, given, given?.length === 1, 'a character').charCodeAt(0) & 0xff;
      case 'Switch':
      case undefined:
        throw new Error(`${this.path(field)}: no values in a ${type ?? 'missing'} column`);
    }
    this.expect(field, given, typeof given === 'number', 'a number');
    if (type.includes('Real'))
      return float(given);
    return BigInt(this.expect(field, given, Number.isInteger(given), 'an integer'));
  }

  expect(field, given, fits, what) {
    if (fits)
      return given;
    const got = given === null ? 'null' : Array.isArray(given) ? `a list of ${given.length}` : typeof given;
    const where = `${this.path(field)} (${field.role}, type '${field.type}')`;
    throw new Error(`${where}: JSROOT gives ${got}, not ${what}`);
  }

  /** Whether a collection or string stands below the field, whose offsets start anew in each cluster. */
  hasInnerOffsets(field) {
    return this.children[field.id].some(child =>
      child.role === 'collection' || child.type === 'std::string' || this.hasInnerOffsets(child));
  }

  path(field) {
    return field.parent === null ? field.name : `${this.path(this.fields[field.parent])}.${field.name}`;
  }
}

const isObject = value => (typeof value === 'object') && (value !== null) && !Array.isArray(value);

/** Any object that JSROOT decoded: no schema goes with it. */
function generic(value) {
  if (typeof value === 'number')
    return Number.isInteger(value) ? BigInt(value) : float(value);
  if (Array.isArray(value) || ArrayBuffer.isView(value))
    return Array.from(value, generic);
  if (isObject(value)) {
    const members = Object.entries(value).filter(([, member]) => typeof member !== 'function');
    return Object.fromEntries(members.map(([key, member]) => [key, generic(member)]));
  }
  return value;
}

// --- file ---------------------------------------------------------------------------------------

async function readNtuple(jsroot, tuple) {
  const built = await jsroot.readHeaderFooter(tuple);
  // After an error, JSROOT answers null, but leaves what it had parsed.
  const builder = built ?? tuple.builder;
  const failed = built ? null : reason();
  if (!builder?.fieldDescriptors)
    throw new Error(failed);

  const fields = schema(builder);
  const clusters = [];
  let entries = 0;
  for (const { numEntries } of builder.clusterSummaries ?? []) {
    clusters.push([entries, numEntries]);
    entries += numEntries;
  }
  const version = ['Epoch', 'Major', 'Minor', 'Patch'].map(part => tuple[`fVersion${part}`]);
  const document = {
    name: builder.name, description: builder.description, writer: builder.writer,
    format_version: version.join('.'), entries, fields, values: {}, values_by_cluster: {},
    unreadable: {},
  };

  wrapAlternatives(builder);
  const walk = new Walk(fields);
  for (const field of fields.filter(each => each.parent === null)) {
    said = [];
    try {
      if (failed)
        throw new Error(failed);
      const values = await readField(jsroot, tuple, walk, field, [[0, entries]]);
      if (walk.hasInnerOffsets(field))
        document.values_by_cluster[field.name] = await readField(jsroot, tuple, walk, field, clusters);
      document.values[field.name] = values;
    } catch (error) {
      document.unreadable[field.name] = reason(error);
    }
  }
  return document;
}

/** The values of a field, so many entries at a time; `ranges` are pairs of first entry and number. */
async function readField(jsroot, tuple, walk, field, ranges) {
  // JSROOT selects by name alone, and takes the first field of that name at any depth.
  const found = tuple.builder.fieldDescriptors.findIndex(each => each.fieldName === field.name);
  if (found !== field.id)
    throw new Error(`cannot be selected: JSROOT finds field ${found} under this name, not ${field.id}`);

  const values = [];
  for (const [firstentry, numentries] of ranges) {
    const selector = new jsroot.TSelector(), before = values.length;
    selector.addBranch(field.name, 'value');
    selector.Process = () => {
      values.push(walk.value(field, selector.tgtobj.value));
      delete selector.tgtobj.value; // else a value that is not read would look like the one before
    };
    await jsroot.rntupleProcess(tuple, selector, { firstentry, numentries });
    if (said.length) // it goes on with the compressed bytes when it cannot decompress a page
      throw new Error('JSROOT complains and goes on');
    if (values.length !== before + numentries)
      throw new Error(`${values.length - before} values for ${numentries} entries`);
  }
  return values;
}

async function readDirectory(jsroot, file, directory, prefix, document) {
  const newest = new Map();
  for (const key of directory.fKeys ?? []) {
    if (!(newest.get(key.fName)?.fCycle > key.fCycle))
      newest.set(key.fName, key);
  }
  for (const key of newest.values()) {
    const path = prefix + key.fName, isDirectory = key.fClassName.startsWith('TDirectory');
    if (!isDirectory && !key.fClassName.endsWith('RNTuple'))
      continue;
    said = [];
    try {
      if (!isDirectory && (key.fClassName !== 'ROOT::RNTuple'))
        throw new Error(`an object of class ${key.fClassName}, not ROOT::RNTuple`);
      const object = await file.readObject(path, key.fCycle);
      if (!object)
        throw new Error('JSROOT gives no object');
      if (isDirectory)
        await readDirectory(jsroot, file, object, `${path}/`, document);
      else
        document.ntuples[path] = await readNtuple(jsroot, object);
    } catch (error) {
      document.unreadable[path] = reason(error);
    }
  }
}

async function readFile(jsroot, path) {
  const document = { peer: 'jsroot', version: jsroot.version, ntuples: {}, unreadable: {} };
  const file = await jsroot.openFile(path);
  try {
    await readDirectory(jsroot, file, file, '', document);
  } finally {
    file.fs?.closeSync(file.fd);
  }
  return document;
}

async function load(folder) {
  const root = join(resolve(folder), 'node_modules', 'jsroot');
  const part = name => import(pathToFileURL(join(root, 'modules', name)).href);
  const { openFile, addUserStreamer } = await part('io.mjs');
  // The ROOT that judges our files calls its classes so in what it writes.
  for (const name of ['TList', 'TNamed', 'TObjArray', 'TObject', 'TStreamerBase', 'TStreamerBasicType',
    'TStreamerElement', 'TStreamerInfo', 'TStreamerString', 'TString'])
    addUserStreamer(`CppyyLegacy::${name}`, name);
  const { TSelector } = await part('tree.mjs');
  const { readHeaderFooter, rntupleProcess } = await part('rntuple.mjs');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return { openFile, TSelector, readHeaderFooter, rntupleProcess, version };
}

function usage() {
  process.stderr.write('usage: node jsroot_read.mjs FILE.. --modules DIR [--out OUT.json | --out-dir OUT]\n');
  process.exit(2);
}

async function main() {
  const options = { '--modules': process.env.JSROOT_MODULES, '--out': undefined, '--out-dir': undefined };
  const files = [];
  for (let rest = process.argv.slice(2); rest.length;) {
    const argument = rest.shift();
    if (!Object.hasOwn(options, argument))
      files.push(argument);
    else
      options[argument] = rest.shift() ?? usage();
  }
  const { '--modules': modules, '--out': out, '--out-dir': folder } = options;
  const countFits = folder ? files.length > 0 && !out : files.length === 1;
  if (!countFits || files.some(file => file.startsWith('-')) || !modules)
    usage();

  const jsroot = await load(modules);
  for (const file of files) {
    const text = json(await readFile(jsroot, resolve(file))) + '\n';
    if (folder)
      writeFileSync(join(folder, basename(file).replace(/\.root$/, '') + '.json'), text);
    else if (out)
      writeFileSync(out, text);
    else
      process.stdout.write(text);
  }
}

main().catch(error => {
  process.stderr.write(`${reason(error)}\n`);
  process.exitCode = 1;
});
