import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sample } from '../../../test/soak/sample.ts'
import type { CheckName } from '../../contract/admin/guardrails.ts'
import { StepBudget } from '../hooks/step-budget.ts'
import type { LocalCheck } from './check.ts'
import { CHECKS } from './checks.ts'
import { LocalPass, type LocalStep } from './local-pass.ts'

type Wanted = { check: CheckName; params?: object; action?: LocalStep['action'] }

const KEY = `-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA1234\nabcd/+efgh\n-----END RSA PRIVATE KEY-----`
const AWS = 'AKIAIOSFODNN7EXAMPLE'
const words = (...list: string[]): Wanted => ({ check: 'patterns', params: { words: list } })
const patterns = (...list: string[]): Wanted => ({ check: 'patterns', params: { patterns: list } })
const SECRETS: Wanted = { check: 'secrets' }
const PERSONAL: Wanted = { check: 'personal_data' }

const CASES: [steps: Wanted[], text: string, expected: string][] = [
  [[words('falcon')], 'The falcon, and falcons: FALCON', 'The [REDACTED], and falcons: [REDACTED]'],
  [[words('new york')], 'a new new york new', 'a new [REDACTED] new'],
  [[patterns('[0-9]+')], 'a 123 b 45', 'a [REDACTED] b [REDACTED]'],
  [[patterns('[0-9]{3}')], '1234 12', '[REDACTED] 12'],
  [[patterns('b|abc|xabcd')], 'b abc xabc xabcd', '[REDACTED] [REDACTED] x[REDACTED] [REDACTED]'],
  [[patterns('a.*c')], 'xabcbcx', 'x[REDACTED]x'],
  [[patterns('^ab')], 'ab ab', '[REDACTED] ab'],
  [[patterns('ab$')], 'ab ab', 'ab [REDACTED]'],
  [[patterns(String.raw`\bcat\b`)], 'cat cacat cat', '[REDACTED] cacat [REDACTED]'],
  [[patterns('a+')], `x${'a'.repeat(5_000)}y`, 'x[REDACTED]y'],
  [[SECRETS], `key ${AWS}, that`, 'key [SECRET], that'],
  [[SECRETS], `one\n${KEY}\ntwo`, 'one\n-----BEGIN RSA PRIVATE KEY-----[SECRET]-----END RSA PRIVATE KEY-----\ntwo'],
  [[SECRETS], 'password: hunter2hunter2 ok', 'password: [SECRET] ok'],
  [[SECRETS], 'PASSWORD=abcd1234efgh', 'PASSWORD=[SECRET]'],
  [[SECRETS], 'the secret: somewhere over', 'the secret: somewhere over'],
  [[SECRETS], 'sk-your-key-goes-here-please', 'sk-your-key-goes-here-please'],
  [[SECRETS], `${'x'.repeat(3_000)}/${AWS}/${'y'.repeat(3_000)}`, `${'x'.repeat(3_000)}/[SECRET]/${'y'.repeat(3_000)}`],
  [[SECRETS], 'postgres://me:s3cret@db.example/x', '[SECRET]b.example/x'],
  [[{ check: 'secrets', params: { words: ['Blue Moon'] } }], 'our Blue Moon, blue moon', 'our [SECRET], blue moon'],
  [[PERSONAL], 'Write ada@mail.example, 4111 1111 1111 1111.', 'Write [EMAIL], [CARD].'],
  [[words('ada'), PERSONAL], 'ada ada@mail.example bob', '[REDACTED] [REDACTED] bob'],
  [[PERSONAL, words('mail')], 'x ada@mail.example', 'x [EMAIL]'],
  [[{ ...words('ada'), action: 'flag' }, PERSONAL], 'ada at ada@mail.example', 'ada at [EMAIL]'],
  // Characters that are not seen, inside of words, before them, and as the only blanks between them.
  [[words('falcon')], 'a fal\u00adcon, \u200bf\u200b\u2060alcon\ufeff.', 'a [REDACTED], \u200b[REDACTED]\ufeff.'],
  [[words('falcon')], 'my\u200bfalcon\u200bflies, xfal\u200bcon', 'my\u200b[REDACTED]\u200bflies, xfal\u200bcon'],
  [[words('falcon')], '\u{e0061}fal\u{e0062}\u{fe0f}con\u{e0063}', '\u{e0061}[REDACTED]\u{e0063}'],
  // Other shapes of letters, and ligatures, which are one character of the text.
  [
    [words('falcon')],
    '\uff46\uff41\uff4c\uff43\uff4f\uff4e 𝐟𝐚𝐥𝐜𝐨𝐧 ⓕⓐⓛⓒⓞⓝ falcon™',
    '[REDACTED] [REDACTED] [REDACTED] [REDACTED]™',
  ],
  [[words('fine')], 'a \ufb01ne \ufb01n \ufb01ne!', 'a [REDACTED] \ufb01n [REDACTED]!'],
  [[words('e\ufb03cient')], 'efficient e\ufb03cient', '[REDACTED] [REDACTED]'],
  [[words('new york')], 'new\u00a0york', '[REDACTED]'],
  [[patterns('^ab')], 'ab, \u200bab a\u200bb', '[REDACTED], \u200bab a\u200bb'],
  [[patterns('\u200b+')], 'a\u200b\u200bb', 'a[REDACTED]b'],
  [[SECRETS], `key AKIA\u200bIOSFODNN7EXAMPLE, \uff21KIAIOSFODNN7EXAMPLE`, 'key [SECRET], [SECRET]'],
  [[SECRETS], 'password: hunter2\u00adhunter2 ok', 'password: [SECRET] ok'],
  [[PERSONAL], 'Write ada@\u200bmail.example, \uff14111 1111\u00ad 1111 1111.', 'Write [EMAIL], [CARD].'],
  [[words('fal'), words('falcon')], 'fal\u200bcon', '[REDACTED]'],
  [[words('falcon')], '\u1da0\u1d43\u02e1\u1d9c\u1d52\u207f m\u00b2', '[REDACTED] m\u00b2'],
  // Marks on letters, also before a word and behind it. A letter that has an accent of its own is another letter.
  [[words('falcon')], 'fa\u0336l\u0336con\u0336! falcon\u0301.', '[REDACTED]\u0336! [REDACTED]\u0301.'],
  [[words('falcon')], '\u0336falcon, falcon\ufe0f f\u00e1lcon', '\u0336[REDACTED], [REDACTED]\ufe0f f\u00e1lcon'],
  [[words('caf\u00e9')], 'cafe\u0301 caf\u00e9 cafe', '[REDACTED] [REDACTED] cafe'],
  [[words('cafe\u0301')], 'cafe\u0301 caf\u00e9 ca\u00adf\u00e9', '[REDACTED] [REDACTED] [REDACTED]'],
  // Letters of Cyrillic and Greek, and small capitals: those of which the same case looks the same.
  [
    [words('falcon')],
    'f\u0430lc\u043en F\u0391LC\u039fN \ua730\u1d00\u029f\u1d04\u1d0f\u0274 f\u200b\u0430lcon',
    '[REDACTED] [REDACTED] [REDACTED] [REDACTED]',
  ],
  [[words('tom')], 'T\u041e\u041c \u0442\u043e\u043c t\u043em', '[REDACTED] \u0442\u043e\u043c [REDACTED]'],
  [[words('\u0432\u043e\u0440')], '\u0432o\u0440 BOP bop \u0412\u041e\u0420', '[REDACTED] [REDACTED] bop [REDACTED]'],
  [[words("new-yorker's")], 'new\u2011yorker\u2019s', '[REDACTED]'],
  [
    [{ check: 'secrets', params: { words: ['Blue Moon'] } }],
    'Blue M\u043eon, blue m\u043eon',
    '[SECRET], blue m\u043eon',
  ],
  [[words('falcon')], `fal${'\u200b'.repeat(40)}con`, '[REDACTED]'],
]

test('what is found is replaced, and the rest stays', () => {
  for (const [steps, text, expected] of CASES) assert.equal(run(steps, [text]), expected, text)
})

test('the result does not depend on how a text is cut', () => {
  for (const [steps, text, expected] of CASES.filter(([, text]) => text.length < 1_000)) {
    assert.equal(run(steps, [...text]), expected, `in single characters: ${text}`)
    for (let at = 1; at < text.length; at++)
      assert.equal(run(steps, [text.slice(0, at), text.slice(at)]), expected, `cut at ${at}: ${text}`)
  }
})

test('random texts: cut or whole, the same is found', () => {
  const pieces = [
    'a',
    'b',
    ' ',
    'ab',
    'ada@mail.example',
    AWS,
    '4111 1111 1111 1111',
    '12',
    '\n',
    'password: ',
    'x1y2z3w4v5',
    '\u200b',
    '\u{e0061}',
    '\uff41',
    '𝐚',
    'a\u00adb',
    'a\u0301',
    '\ufe0f',
    '\u0336'.repeat(20),
    '\u0430',
    KEY,
  ]
  const steps = [patterns('a+b', 'b a', '[ab]{2,4}1'), words('a b', 'aa', 'ab12'), SECRETS, PERSONAL]
  let seed = 7
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % below
  }
  for (let round = 0; round < sample(150, 5_000); round++) {
    const text = Array.from({ length: 1 + random(25) }, () => pieces[random(pieces.length)]).join('')
    const cuts: string[] = []
    for (let at = 0; at < text.length; ) {
      const size = 1 + random(9)
      cuts.push(text.slice(at, at + size))
      at += size
    }
    assert.equal(run(steps, cuts), run(steps, [text]), JSON.stringify(text))
  }
})

test('nothing of a text that is blocked passes, from the beginning of the match on', () => {
  for (const [steps, text] of CASES.filter(([steps]) => steps.every(({ action }) => !action))) {
    const blocking = steps.map((step): Wanted => ({ ...step, action: 'block' }))
    const { pass, passed } = opened(blocking, [...text])
    if (run(steps, [text]) === text) assert.equal(passed, text)
    else assert.ok(pass.blockedBy && text.startsWith(passed) && passed.length < text.length, text)
  }
})

test('only what is undecided is held back', () => {
  const pass = new LocalPass([stepOf(words('falcon'), []), stepOf(SECRETS, []), stepOf(PERSONAL, [])])
  assert.equal(pass.push('Here are sentences, followed throughout othe'), 'Here are sentences, followed throughout ')
  assert.equal(pass.push('rs concerning falcons, sparrows, blue falcon'), 'others concerning falcons, sparrows, ')
  const flag = new LocalPass([stepOf({ ...words('falcon'), action: 'flag' }, [])])
  assert.equal(flag.push('a fal'), 'a fal')
})

test('what has no place in the plain form of a text holds back a little of it, and hides nothing', () => {
  for (const unseen of ['\u200b', '\u0336', '\u{e0061}']) {
    const pass = new LocalPass([stepOf(words('falcon'), [])])
    assert.equal(pass.push('a fal'), 'a ')
    for (let round = 0; round < 100; round++) assert.equal(pass.push(unseen.repeat(100)), '')
    assert.equal(pass.push('low f'), `fal${unseen.repeat(32)}low `)
    assert.equal(pass.push(unseen.repeat(100)) + pass.push('alcon b'), '[REDACTED] b')
    const flag = new LocalPass([stepOf({ ...words('falcon'), action: 'flag' }, [])])
    assert.equal(flag.push(unseen.repeat(100)), unseen.repeat(100))
  }
})

test('what both forms of a text have is found once', () => {
  for (const [text, count] of [
    ['\u200bfalcon\ufeff, falcon\ufe0f, falcon', 3],
    ['falcon\u0336 fal\u200bcon', 2],
  ] as const)
    for (const pieces of [[text], [...text]]) {
      const found: string[] = []
      const pass = new LocalPass([stepOf(words('falcon'), found)])
      for (const piece of pieces) pass.push(piece)
      pass.end()
      assert.deepEqual(found, new Array(count).fill('word 0'), text)
    }
})

function run(steps: readonly Wanted[], pieces: readonly string[]): string {
  return opened(steps, pieces).passed
}

function opened(steps: readonly Wanted[], pieces: readonly string[]) {
  const pass = new LocalPass(steps.map((step) => stepOf(step, [])))
  return { pass, passed: pieces.map((piece) => pass.push(piece)).join('') + pass.end() }
}

function stepOf({ check: name, params = {}, action = 'redact' }: Wanted, found: string[]): LocalStep {
  const check = CHECKS[name] as LocalCheck
  return {
    action,
    open: check.open(params, new StepBudget(100_000_000)),
    placeholder: (_, rule) => `[${check.placeholder(rule)}]`,
    found: (rule) => found.push(rule),
  }
}
