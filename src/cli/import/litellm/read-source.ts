import { readFileSync, realpathSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, sep } from 'node:path'
import type { Document, Pair, ParsedNode, Tags } from 'yaml'
import { ConfigError } from '../../../platform/config/config-error.ts'
import { positionIn } from '../../../platform/config/file-place.ts'
import { isRecord } from '../../../base/schema/record.ts'
import { approximate, type Finding, manual } from '../finding.ts'
import { MB } from '../../../base/units/units.ts'

const MAX_BYTES = 4 * MB
const MAX_DEPTH = 40
const MAX_NODES = 200_000
const MAX_INCLUDES = 100

const load = createRequire(import.meta.url)

type Source = {
  content: Record<string, unknown>
  /** What reading has found out: keys that are there twice, files that were not followed. */
  findings: Finding[]
  /** The files that were read, from the folder of the first. */
  files: string[]
}

/** Reads a config.yaml and the files that it includes, as LiteLLM does: lists are joined, other members are replaced. */
export function readSource(file: string): Source {
  const folder = dirname(realpathSync(file))
  const source = { content: readYamlFile(file, file), findings: [] as Finding[], files: [file] }
  source.findings.push(...source.content.findings)
  const { value } = source.content
  for (const [index, name] of includesOf(value).entries()) {
    const path = `include[${index}]`
    const file = inFolder(folder, name)
    if (!file || index >= MAX_INCLUDES) {
      source.findings.push({ path, ...manual('the file is not in the folder of the config file, so it was not read') })
      continue
    }
    const included = readYamlFile(file, name)
    merge(value, included.value)
    source.findings.push(...included.findings)
    source.files.push(relative(folder, file))
  }
  return { ...source, content: value }
}

function includesOf({ include }: Record<string, unknown>): string[] {
  return Array.isArray(include) ? include.filter((name) => typeof name === 'string') : []
}

/** Undefined for a file that is elsewhere, also if a link leads there, and for one that does not exist. */
function inFolder(folder: string, name: string): string | undefined {
  try {
    const file = realpathSync(join(folder, name))
    return file.startsWith(folder + sep) ? file : undefined
  } catch {
    return undefined
  }
}

function merge(into: Record<string, unknown>, from: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(from)) {
    if (key === 'include') continue
    const present = into[key]
    into[key] = Array.isArray(present) && Array.isArray(value) ? [...present, ...value] : value
  }
}

type Parsed = { value: Record<string, unknown>; findings: Finding[] }

/** Errors say where a mistake is, and repeat nothing of the text, which may hold secrets. */
function readYamlFile(file: string, name: string): Parsed {
  const yaml: typeof import('yaml') = load('yaml')
  if (statSync(file).size > MAX_BYTES) throw new ConfigError(`${name}: is larger than ${MAX_BYTES} bytes`)
  const text = readFileSync(file, 'utf8')
  const document = parsed(text, name, yaml)
  const [mistake] = document.errors
  if (mistake) throw new ConfigError(`${name}: is not valid YAML at ${positionIn(text, mistake.pos[0])}`)
  const findings = checkNodes(document, name, yaml)
  const value = toValue(document, name)
  if (!isRecord(value)) throw new ConfigError(`${name}: has no settings; is it a config.yaml of LiteLLM?`)
  return { value, findings }
}

/** The parser is recursive, so that very many levels overflow its stack. */
function parsed(text: string, name: string, yaml: typeof import('yaml')): Document.Parsed<ParsedNode> {
  try {
    // PyYAML reads version 1.1, and accepts a key twice.
    return yaml.parseDocument(text, {
      version: '1.1',
      uniqueKeys: false,
      prettyErrors: false,
      customTags: withOwnBooleans,
    })
  } catch {
    throw new ConfigError(`${name}: has too many levels`)
  }
}

/** In PyYAML, `yes` and `on` are true, but `y` is a text, which the tags of version 1.1 take for true. */
function withOwnBooleans(tags: Tags): Tags {
  const own = BOOLEANS.map(([value, test]) => ({
    tag: BOOLEAN,
    default: true,
    test,
    resolve: () => value,
  }))
  return [...tags.filter((tag) => typeof tag !== 'object' || tag.tag !== BOOLEAN), ...own]
}

const BOOLEAN = 'tag:yaml.org,2002:bool'
const BOOLEANS: readonly [boolean, RegExp][] = [
  [true, /^(?:yes|Yes|YES|true|True|TRUE|on|On|ON)$/],
  [false, /^(?:no|No|NO|false|False|FALSE|off|Off|OFF)$/],
]

/** Bounds the work, refuses values that contain themselves, and finds keys that are there twice. */
function checkNodes(document: Document.Parsed<ParsedNode>, name: string, yaml: typeof import('yaml')): Finding[] {
  const findings: Finding[] = []
  let nodes = 0
  yaml.visit(document, {
    Node: (_, node, path) => {
      if (++nodes > MAX_NODES || path.length > 2 * MAX_DEPTH)
        throw new ConfigError(`${name}: has too many parts, or too many levels`)
      if (yaml.isAlias(node) && path.some((outer) => 'anchor' in outer && outer.anchor === node.source))
        throw new ConfigError(`${name}: an alias (*) is inside of what it stands for`)
      if (!yaml.isMap(node)) return
      for (const key of repeatedIn(node.items.map((pair) => String(pair.key)))) {
        const keys = [...path.flatMap((outer) => (yaml.isPair(outer) ? [String((outer as Pair).key)] : [])), key]
        findings.push({ path: keys.join('.'), ...approximate('is there twice; the last one counts, as in LiteLLM') })
      }
    },
  })
  return findings
}

function repeatedIn(keys: readonly string[]): Set<string> {
  const seen = new Set<string>()
  // A merge key may be there twice.
  return new Set(keys.filter((key) => key !== '<<' && (seen.has(key) || !seen.add(key))))
}

function toValue(document: Document.Parsed<ParsedNode>, name: string): unknown {
  try {
    return document.toJS() ?? {}
  } catch {
    throw new ConfigError(`${name}: its aliases (*) stand for too much, or for nothing`)
  }
}
