import { createRequire } from 'node:module'
import type { Document, ParsedNode } from 'yaml'
import { ConfigError } from './config-error.ts'
import { positionIn } from './file-place.ts'

/** Only a YAML file needs the package, and a configuration is read in one step of the event loop. */
const load = createRequire(import.meta.url)

/**
 * Parses a YAML file that a person wrote. The error says where the mistake is, and repeats nothing of the text, which may hold
 * secrets. A file with comments only is an empty object.
 */
export function readYaml(text: string): unknown {
  const yaml: typeof import('yaml') = load('yaml')
  const document = yaml.parseDocument(text, { prettyErrors: false, stringKeys: true })
  const [mistake] = [...document.errors, ...document.warnings]
  if (mistake) throw invalid(text, mistake.pos[0], ADVICE[mistake.code] ?? 'check the indentation and the quotes')
  checkAliases(document, text, yaml)
  return toValue(document)
}

/**
 * An alias can only stand for something before it, so one look at every node is enough: to ask the parser for each alias takes
 * minutes in a file with many. A value that contains itself could not be shown, compared or sent.
 */
function checkAliases(document: Document.Parsed<ParsedNode>, text: string, { visit }: typeof import('yaml')): void {
  const anchors = new Set<string | undefined>()
  visit(document, {
    Value: (_, { anchor }) => void anchors.add(anchor),
    Alias: (_, { source, range }, path) => {
      const isInside = path.some((node) => 'anchor' in node && node.anchor === source)
      if (isInside) throw invalid(text, range?.[0] ?? 0, OWN_ALIAS)
      if (!anchors.has(source)) throw invalid(text, range?.[0] ?? 0, UNKNOWN_ALIAS)
    },
  })
}

function toValue(document: Document.Parsed<ParsedNode>): unknown {
  try {
    return document.toJS() ?? {}
  } catch {
    throw new ConfigError('is not usable YAML: its aliases stand for too much')
  }
}

function invalid(text: string, offset: number, advice: string): ConfigError {
  return new ConfigError(`is not valid YAML at ${positionIn(text, offset)}: ${advice}`)
}

const OWN_ALIAS = 'this alias is inside of what it stands for'
const UNKNOWN_ALIAS = 'a value that begins with * needs quotes'

/** What to do about a mistake, by the code that the parser gives it. */
const ADVICE: Readonly<Record<string, string>> = {
  BAD_ALIAS: UNKNOWN_ALIAS,
  BAD_DQ_ESCAPE: 'a backslash between double quotes needs a second one; single quotes need none',
  BAD_INDENT: 'the indentation does not fit the lines around it, or a bracket before it is not closed',
  BAD_SCALAR_START: 'a value that begins with @ or ` needs quotes',
  BLOCK_AS_IMPLICIT_KEY:
    'a line has two colons, or the indentation does not fit; a value with a colon and a space needs quotes',
  DUPLICATE_KEY: 'this name is here twice',
  MISSING_CHAR: 'a bracket, a quote or a comma is missing',
  MULTILINE_IMPLICIT_KEY: 'a colon is missing after the name',
  MULTIPLE_DOCS: 'the file may have one document only; remove the line with ---',
  NON_STRING_KEY: 'a name should be a text',
  TAB_AS_INDENT: 'indent with spaces, not with tabs',
  TAG_RESOLVE_FAILED: 'a value that begins with ! needs quotes',
}
