import assert from 'node:assert/strict'
import { test } from 'node:test'
import { guidePages } from '../docs/guides.ts'
import { coloured } from '../console/parts/code/colours.ts'
import { linkPlace, sectionsOf } from '../console/docs/read/guides.ts'
import { type Block, parseMarkdown } from '../console/docs/read/markdown.ts'

test('blocks of a page', () => {
  const page = [
    '# A `b`',
    '',
    '<!-- not shown -->',
    'Some **bold**, *weak* and `co_de` text',
    'with a [link](a.md#b).',
    '',
    '- one',
    '  more of one',
    '  - inner',
    '- two',
    '',
    '| a | b |',
    '|---|---|',
    '| `x \\| y` | 2 |',
    '',
    '```sh',
    '# no heading',
    '```',
    '## A b',
  ].join('\n')
  assert.deepEqual(parseMarkdown(page), [
    { kind: 'heading', level: 1, id: 'a-b', inside: ['A ', { code: 'b' }] },
    {
      kind: 'paragraph',
      inside: [
        'Some ',
        { strong: ['bold'] },
        ', ',
        { emphasis: ['weak'] },
        ' and ',
        { code: 'co_de' },
        ' text with a ',
        { href: 'a.md#b', inside: ['link'] },
        '.',
      ],
    },
    {
      kind: 'list',
      isOrdered: false,
      items: [
        [
          { kind: 'paragraph', inside: ['one more of one'] },
          { kind: 'list', isOrdered: false, items: [[{ kind: 'paragraph', inside: ['inner'] }]] },
        ],
        [{ kind: 'paragraph', inside: ['two'] }],
      ],
    },
    { kind: 'table', heads: [['a'], ['b']], rows: [[[{ code: 'x | y' }], ['2']]] },
    { kind: 'code', language: 'sh', text: '# no heading' },
    { kind: 'heading', level: 2, id: 'a-b-1', inside: ['A b'] },
  ] satisfies Block[])
})

test('no page of docs/ has marks that are left over', async () => {
  for (const { id, text } of await guidePages()) {
    const left = JSON.stringify(parseMarkdown(text), (_, value) =>
      typeof value === 'object' && value !== null && ('code' in value || value.kind === 'code') ? null : value,
    )
    assert.doesNotMatch(left, /\*\*|\]\(|<\/?details|```/, id)
  }
})

test('the pieces of a program are the program, and comments, texts and words have colours', () => {
  const text = 'const a = "b" // c\nreturn 12'
  const pieces = coloured(text, 'typescript')
  assert.equal(pieces.map((piece) => piece.text).join(''), text)
  assert.deepEqual(
    pieces.filter(({ colour }) => colour).map((piece) => [piece.colour, piece.text]),
    [
      ['word', 'const'],
      ['text', '"b"'],
      ['comment', '// c'],
      ['word', 'return'],
      ['number', '12'],
    ],
  )
  assert.deepEqual(coloured('what is this', 'unknown'), [{ text: 'what is this' }])
})

test('links between guides stay on the page, and files of the source are no links', () => {
  const ids = new Set(['operating', 'budgets'])
  assert.equal(linkPlace('operating.md#sizing', 'budgets', ids), '#guides/operating/sizing')
  assert.equal(linkPlace('#rates', 'budgets', ids), '#guides/budgets/rates')
  assert.equal(linkPlace('../src/main.ts', 'budgets', ids), undefined)
  assert.equal(linkPlace('https://example.com/', 'budgets', ids), 'https://example.com/')
})

test('a guide is found by its headings', () => {
  const sections = sectionsOf({ id: 'a', group: 'g', title: 'A', text: '# A\nOne\n## Two\nThree `Four`' })
  assert.deepEqual(sections, [
    { place: 'guides/a', title: 'A', heading: '', texts: ' a one' },
    { place: 'guides/a/two', title: 'A', heading: 'Two', texts: ' three four' },
  ])
})
