import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { leastCpu } from './fakes/cpu.ts'
import { sample } from './soak/sample.ts'

// Runs every regular expression of the source on long texts that are made of what it looks for: an expression with
// quadratic work takes seconds where others take a millisecond. New expressions are found automatically.

const SRC = join(import.meta.dirname, '..', 'src')
const TEXT_CHARS = sample(12_000, 30_000)
/** A hundred times the time for reading such a text once. */
const MAX_US = 25_000
const SUFFIX = '\u0001'

/** Expressions that are matched only against short texts, or our own. */
const NOT_FOR_LONG_TEXTS: Record<string, string> = {
  'server/active-services.ts': 'a setting',
  'platform/config/report/shown-values.ts': 'a setting',
  'platform/telemetry/merge-metrics.ts': 'our own metrics',
  'platform/config/provider-settings.ts': 'a setting',
  'platform/config/service-settings.ts': 'a setting',
  'platform/blobs/s3-location.ts': 'a setting',
  'cli/import/litellm/addresses.ts': 'a setting of another gateway',
  'translation/hooks/healing/write-json.ts': 'what another expression has found to be a number',
  'translation/engines/text/spelling.ts': 'the last twenty characters before a word',
}

const LITERAL = /(?<![\w)\]$])\/(?![/*\s])((?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\\n[])+)\/([dgimsuvy]*)(?=[\s.,;)\]:}]|$)/gm
const COMMENT = /^\s*(?:\/\/|\*|\/\*)|^import/

type Found = { file: string; pattern: RegExp }

const found = globSync('**/*.ts', { cwd: SRC })
  .filter((file) => !file.endsWith('.test.ts') && !file.includes('fixtures/'))
  .flatMap(expressionsIn)

test('there are expressions to try', () => assert.ok(found.length > 300, `${found.length}`))

test('no regular expression takes longer than its text is long', () => {
  const slow = found
    .filter(({ file }) => !Object.hasOwn(NOT_FOR_LONG_TEXTS, file))
    .flatMap(({ file, pattern }) => {
      const text = textsFor(pattern).find((one) => isSlow(pattern, one))
      return text === undefined ? [] : [`${file}: ${pattern} on ${JSON.stringify(text.slice(0, 40))}…`]
    })
  assert.deepEqual(slow, [])
})

test('one that is slow is found', () => {
  for (const slow of [/\s+$/, /(?:a|b)+c/]) {
    assert.ok(
      textsFor(slow).some((one) => leastCpu(() => run(slow, one), 1) > MAX_US),
      String(slow),
    )
  }
})

/** A busy machine makes one run slow, but not all of them. */
function isSlow(pattern: RegExp, text: string): boolean {
  return [1, 2, 3].every((times) => leastCpu(() => run(pattern, text), times) > MAX_US)
}

function expressionsIn(file: string): Found[] {
  const lines = readFileSync(join(SRC, file), 'utf8').split('\n')
  return lines
    .filter((line) => !COMMENT.test(line))
    .flatMap((line) => [...line.matchAll(LITERAL)].flatMap(([, source, flags]) => compiled(file, source!, flags!)))
}

/** Text that only looks like an expression does not compile. */
function compiled(file: string, source: string, flags: string): Found[] {
  try {
    return [{ file, pattern: new RegExp(source, flags) }]
  } catch {
    return []
  }
}

function textsFor({ source }: RegExp): string[] {
  const plain = source
    .replace(/\\[sSdDwWbB]|\\[pP]\{[^}]*\}|[()|*+?^$]|\[[^\]]*\]|\{\d*,?\d*\}/g, '\u0000')
    .replace(/\\/g, '')
  const words = plain.split('\u0000').filter((word) => word !== '')
  const units = new Set([...words, ...plain.replaceAll('\u0000', ''), ' ', '\n', 'a', '0', '/', '"', '(', '.'])
  const long = [...units].map((unit) => unit.repeat(Math.ceil(TEXT_CHARS / unit.length)) + SUFFIX)
  const [first = ''] = words
  return first === '' ? long : [...long, ...[' ', '\n', 'a'].map((unit) => first + unit.repeat(TEXT_CHARS) + SUFFIX)]
}

function run(pattern: RegExp, text: string): unknown {
  pattern.lastIndex = 0
  return pattern.global ? text.replace(pattern, '') : pattern.test(text)
}
