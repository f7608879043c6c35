import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertLinear, GROWTH } from '../fakes/cpu.ts'
import { MAX_MARKDOWN_CHARS, parseMarkdown } from '../../console/parts/markdown/parse-markdown.ts'

// Markdown that models write, without a browser. playground.test.ts sees it as elements.

const inlineOf = (text: string) => {
  const [block] = parseMarkdown(text)
  return block?.kind === 'paragraph' ? block.inside : []
}

test('blocks: headings, lists in lists, quotations, tables, programs and rules', () => {
  const text = '# T\n- a\n  - b\n\n3. c\n\n> q\n\n| x | y |\n|:--|--:|\n| 1 |\n\n~~~c++\nint a;\n~~~\n***\nend'
  const kinds = parseMarkdown(text).map(({ kind }) => kind)
  assert.deepEqual(kinds, ['heading', 'list', 'list', 'quote', 'table', 'code', 'rule', 'paragraph'])
  const [, outer, ordered, , table, code] = parseMarkdown(text)
  assert.ok(outer?.kind === 'list' && outer.start === undefined && outer.items[0]![1]!.kind === 'list')
  assert.ok(ordered?.kind === 'list' && ordered.start === 3)
  assert.ok(table?.kind === 'table' && table.heads.length === 2 && table.rows[0]!.length === 2)
  assert.deepEqual(code, { kind: 'code', language: 'c++', text: 'int a;' })
})

test('a program whose end has not arrived is a program already', () => {
  assert.deepEqual(parseMarkdown('```py\nprint(1)'), [{ kind: 'code', language: 'py', text: 'print(1)' }])
})

test('marks inside of words, of code and behind a backslash are texts', () => {
  assert.deepEqual(inlineOf('snake_case_name 2 * 3 * 4 \\*x\\*'), ['snake_case_name 2 * 3 * 4 ', '*', 'x', '*'])
  assert.deepEqual(inlineOf('`**x**`'), [{ kind: 'code', text: '**x**' }])
  assert.deepEqual(inlineOf('**a *b***'), [{ kind: 'strong', inside: ['a ', { kind: 'emphasis', inside: ['b'] }] }])
})

test('links are http and https only', () => {
  for (const bad of [
    'javascript:alert(1)',
    'data:text/html,x',
    'JAVASCRIPT:alert(1)',
    '//host',
    'java\tscript:x',
    'vbscript:x',
  ])
    assert.ok(
      inlineOf(`[x](${bad})`).every((part) => typeof part === 'string'),
      bad,
    )
  assert.deepEqual(inlineOf('See https://a.dev/b_c_d.'), [
    'See ',
    { kind: 'link', href: 'https://a.dev/b_c_d', inside: ['https://a.dev/b_c_d'] },
    '.',
  ])
})

test('no text takes a time that grows faster than the text', () => {
  const repeated = [
    '`',
    '*',
    '**',
    '[',
    '](',
    '_a ',
    '*a ',
    '- ',
    '> ',
    '|',
    '`` `',
    '[a](',
    'http://',
    '![',
    '1. ',
    '\n- ',
    '__a',
  ]
  for (const piece of repeated)
    assertLinear(piece, (chars) => parseMarkdown(piece.repeat(chars / piece.length)), MAX_MARKDOWN_CHARS / GROWTH)
})
