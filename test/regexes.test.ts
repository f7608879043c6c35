import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { cpuOf, GROWTH, growsFaster } from './fakes/cpu.ts'
import { sample } from './soak/sample.ts'

// Runs every regular expression of the source on long texts that are made of what it looks for: an expression with quadratic work
// takes much longer for a long text than for as many characters in short ones. New expressions are found automatically.

const SRC = join(import.meta.dirname, '..', 'src')
const TEXT_CHARS = sample(12_000, 30_000)
/** What takes less need not be compared: quadratic work takes ten times as long. */
const QUICK_US = 8_000
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
      return text === undefined ? [] : [`${file}: ${pattern} on ${JSON.stringify(text(40))}…`]
    })
  assert.deepEqual(slow, [])
})

test('one that is slow is found', () => {
  for (const slow of [/\s+$/, /(?:a|b)+c/]) {
    assert.ok(
      textsFor(slow).some((one) => isSlow(slow, one)),
      String(slow),
    )
  }
})

function isSlow(pattern: RegExp, text: Text): boolean {
  const work = (chars: number) => run(pattern, text(chars))
  const isQuick = cpuOf(() => work(TEXT_CHARS)) < QUICK_US
  return !isQuick && growsFaster(work, TEXT_CHARS / GROWTH) !== undefined
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

type Text = (chars: number) => string

function textsFor({ source }: RegExp): Text[] {
  const plain = source
    .replace(/\\[sSdDwWbB]|\\[pP]\{[^}]*\}|[()|*+?^$]|\[[^\]]*\]|\{\d*,?\d*\}/g, '\u0000')
    .replace(/\\/g, '')
  const words = plain.split('\u0000').filter((word) => word !== '')
  const units = new Set([...words, ...plain.replaceAll('\u0000', ''), ' ', '\n', 'a', '0', '/', '"', '(', '.'])
  const long = [...units].map(
    (unit): Text =>
      (chars) =>
        unit.repeat(Math.ceil(chars / unit.length)) + SUFFIX,
  )
  const [first = ''] = words
  return first === ''
    ? long
    : [
        ...long,
        ...[' ', '\n', 'a'].map(
          (unit): Text =>
            (chars) =>
              first + unit.repeat(chars) + SUFFIX,
        ),
      ]
}

function run(pattern: RegExp, text: string): unknown {
  pattern.lastIndex = 0
  return pattern.global ? text.replace(pattern, '') : pattern.test(text)
}
