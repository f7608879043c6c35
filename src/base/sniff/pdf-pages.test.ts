import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import {
  header,
  type Objects,
  objectStream,
  packedPdf,
  page,
  pages,
  plainPdf,
  streamObject,
  update,
} from './fixtures/pdfs.ts'
import { pdfPages } from './pdf-pages.ts'
import { sample } from '../../../test/soak/sample.ts'
import { MB } from '../units/units.ts'

/** Reading stops after this much work, and after as much as outside of tests in the long form. */
const LITTLE_WORK = sample(16 * MB, 128 * MB)

describe('documents', () => {
  const FILES: [string, Buffer, number][] = [
    ['one page', plainPdf(pages(1)), 1],
    ['17 pages', plainPdf(pages(17)), 17],
    ['17 pages, packed', packedPdf(pages(17)), 17],
    ['5,000 pages, packed', packedPdf(pages(5_000)), 5_000],
    ['a tree with branches', plainPdf(branches()), 5],
    ['a tree with branches, packed one by one', packedPdf(branches(), 1), 5],
    [
      'kids in a list of their own',
      plainPdf({ ...pages(2), 2: '<</Type/Pages/Kids 9 0 R/Count 2>>', 9: '[3 0 R 4 0 R]' }),
      2,
    ],
    ['packed without compression', Buffer.concat([header(), objectStream(90, pages(3), { filter: '' })]), 3],
    ['a filter in a list', Buffer.concat([header(), objectStream(90, pages(3), { filter: '[/FlateDecode]' })]), 3],
    ['an update that adds a page', update(plainPdf(pages(2)), pages(3)), 3],
    ['an update that removes pages', update(packedPdf(pages(9)), { 2: '<</Type/Pages/Kids[3 0 R]/Count 1>>' }), 1],
    [
      'an update with another root',
      update(plainPdf(pages(4)), {
        50: '<</Type/Catalog/Pages 51 0 R>>',
        51: '<</Type/Pages/Kids[52 0 R]>>',
        52: page(),
      }),
      1,
    ],
    [
      'pages among other streams',
      Buffer.concat([plainPdf(pages(2)), streamObject(70, '/Type /XObject', randomBytes(100_000))]),
      2,
    ],
    [
      'a document inside a document',
      Buffer.concat([streamObject(70, '/Type /EmbeddedFile', plainPdf(pages(9))), plainPdf(pages(2))]),
      2,
    ],
    [
      'strings and comments that look like structure',
      plainPdf({ ...pages(2), 4: '<< /Type /Page % >> endobj\n /A (a\\) >> (b) ]) /B <3e3e> /C /Type >>' }),
      2,
    ],
    [
      'nothing behind the last object',
      Buffer.concat([plainPdf({ ...pages(2), 4: '' }), Buffer.from(`4 0 obj${page()}`)]),
      2,
    ],
    ['line ends of the Mac', Buffer.from(plainPdf(pages(3)).toString('latin1').replaceAll('\n', '\r'), 'latin1'), 3],
  ]
  for (const [name, file, count] of FILES)
    test(name, async () => assert.equal(await pdfPages(inPieces(file, 65_536)), count))

  test('cut into pieces anywhere, the number is the same', async () => {
    const file = Buffer.concat([packedPdf(branches(), 2), plainPdf({ 60: '[1 2 (x)]' })])
    for (const size of [1, 2, 3, 5, 7, 11, 64, 1000]) assert.equal(await pdfPages(inPieces(file, size)), 5, `${size}`)
  })
})

describe('what cannot be known is null', () => {
  const whole = plainPdf(pages(20))
  const FILES: [string, Buffer][] = [
    ['nothing', Buffer.alloc(0)],
    ['no PDF', Buffer.from('Just text, with an obj in it: 1 0 obj')],
    ['a beginning', whole.subarray(0, whole.length / 2)],
    ['no catalog', plainPdf({ 2: '<</Type/Pages/Kids[3 0 R]/Count 1>>', 3: page() })],
    ['no pages', plainPdf(pages(0))],
    ['a page that is not there', plainPdf({ ...pages(1), 2: '<</Type/Pages/Kids[3 0 R 4 0 R]>>' })],
    ['a tree that bites its tail', plainPdf({ ...pages(1), 2: '<</Type/Pages/Kids[3 0 R 2 0 R]/Count 2>>' })],
    [
      'two nodes that hold each other',
      plainPdf({ ...pages(1), 2: '<</Type/Pages/Kids[4 0 R]>>', 4: '<</Type/Pages/Kids[2 0 R 3 0 R]>>' }),
    ],
    [
      'a node twice',
      plainPdf({ ...pages(1), 2: '<</Type/Pages/Kids[4 0 R 4 0 R]>>', 4: '<</Type/Pages/Kids[3 0 R]>>' }),
    ],
    ['a page that is a number', plainPdf({ ...pages(1), 2: '<</Type/Pages/Kids[3]/Count 1>>' })],
    [
      'streams that cannot be read',
      Buffer.concat([
        header(),
        streamObject(9, '/Type /ObjStm /N 9 /First 9 /Filter /FlateDecode', randomBytes(5_000)),
      ]),
    ],
    ['streams packed in another way', Buffer.concat([header(), objectStream(9, pages(1), { filter: '/LZWDecode' })])],
  ]
  for (const [name, file] of FILES) test(name, async () => assert.equal(await pdfPages(inPieces(file, 65_536)), null))
})

describe('lies', () => {
  test('a huge count over two pages', async () => {
    const file = plainPdf({ ...pages(2), 2: '<</Type/Pages/Kids[3 0 R 4 0 R]/Count 999999999999>>' })
    assert.equal(await pdfPages(inPieces(file, 65_536)), 2)
  })

  test('pages that hang on no tree', async () => {
    assert.equal(await pdfPages(inPieces(plainPdf({ ...pages(2), 80: page(), 81: page() }), 65_536)), 2)
  })

  test('lists of objects that point anywhere', async () => {
    const list = Array.from({ length: 20_000 }, (_, index) => `${index + 100} ${index * 7}`).join(' ')
    const wild = streamObject(
      90,
      `/Type /ObjStm /N 99999999 /First ${list.length}`,
      Buffer.from(`${list} <</Type/Page>>`),
    )
    assert.equal(await pdfPages(inPieces(Buffer.concat([wild, plainPdf(pages(2))]), 65_536)), 2)
  })
})

describe('bombs end early', () => {
  const bomb = deflateSync(Buffer.alloc(40 * MB))
  const entries = '/Type /ObjStm /N 1 /First 4 /Filter /FlateDecode'

  test('one in an object stream is passed over', async () => {
    assert.equal(
      await pdfPages(inPieces(Buffer.concat([streamObject(9, entries, bomb), plainPdf(pages(2))]), 65_536)),
      2,
    )
  })

  const small = deflateSync(Buffer.alloc(5 * MB))
  const nodes = Array.from({ length: 2_000 }, (_, index) => `${index + 10} 0 R`).join(' ')
  const sharing = Object.fromEntries(
    Array.from({ length: 2_000 }, (_, index) => [index + 10, '<</Type/Pages/Kids 5 0 R>>']),
  )
  const FILES: { name: string; block: Buffer; times: number; maxWork?: number }[] = [
    { name: 'a thousand of them', block: streamObject(9, entries, small), times: 1_000, maxWork: LITTLE_WORK },
    { name: 'an object that never ends', block: Buffer.from('1 0 obj << /A [ '.repeat(4_000)), times: 1_000 },
    {
      name: 'a string that never ends',
      block: Buffer.concat([Buffer.from('1 0 obj << /A ('), Buffer.alloc(65_536, 'x')]),
      times: 1_000,
    },
    { name: 'ten million brackets', block: Buffer.from(`1 0 obj ${'['.repeat(100_000)}`), times: 100 },
    {
      name: 'objects that are none',
      block: Buffer.from('1 0 obj > '.repeat(10_000)),
      times: 1_000,
      maxWork: LITTLE_WORK,
    },
    { name: 'the bare word', block: Buffer.from('obj'.repeat(30_000)), times: 1_000 },
  ]
  for (const { name, block, times, maxWork } of FILES)
    test(name, async () => {
      let taken = 0
      const file = async function* () {
        for (; taken < times; taken++) yield block
      }
      assert.equal(await pdfPages(file(), { maxWork }), null)
      assert.ok(taken < times / 2, `${taken} blocks of the file were read`)
    })

  test('nodes that share a long list', async () => {
    const file = plainPdf({
      1: '<</Type/Catalog/Pages 2 0 R>>',
      2: `<</Type/Pages/Kids[${nodes}]>>`,
      5: `[${'3 0 R '.repeat(2_000)}]`,
      3: page(),
      ...sharing,
    })
    assert.equal(await pdfPages(inPieces(file, 65_536)), null)
  })
})

test('objects that begin inside each other are abandoned, with turns of the event loop in between', async () => {
  const limit = { maxWork: LITTLE_WORK }
  let turns = 0
  let isDone = false
  const count = () => {
    turns++
    if (!isDone) setImmediate(count)
  }
  count()
  assert.equal(await pdfPages(inPieces(Buffer.from(`%PDF-1.7\n${'1 0 obj<<'.repeat(20_000)}`), 65_536), limit), null)
  isDone = true
  assert.ok(turns > LITTLE_WORK / MB / 2, `${turns} turns`)
})

test('a scan that gives up closes its source, and the failure of a source is reported', async () => {
  let left = false
  const endless = async function* () {
    try {
      for (;;) yield Buffer.from('1 0 obj << '.repeat(1_000))
    } finally {
      left = true
    }
  }
  assert.equal(await pdfPages(endless()), null)
  assert.equal(left, true)
  const failing = async function* () {
    yield header()
    throw new Error('storage is gone')
  }
  await assert.rejects(pdfPages(failing()), /storage is gone/)
})

test('no damage makes it stumble', async () => {
  const files = [plainPdf(branches()), packedPdf(branches(), 3)]
  const damage = fc.array(fc.record({ at: fc.nat(2_000), to: fc.nat(255) }), { minLength: 1, maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...files),
      damage,
      fc.integer({ min: 1, max: 500 }),
      async (file, changes, size) => {
        const copy = Buffer.from(file)
        for (const { at, to } of changes) if (at < copy.length) copy[at] = to
        const count = await pdfPages(inPieces(copy, size))
        assert.ok(count === null || (count > 0 && count < 20))
      },
    ),
    { numRuns: sample(40, 500) },
  )
})

test('a list of pages that is too long to read in one step is not read', async () => {
  assert.equal(await pdfPages(inPieces(packedPdf(pages(20_000), 1_000), 65_536)), 20_000)
  assert.equal(await pdfPages(inPieces(packedPdf(pages(35_000), 1_000), 65_536)), null)
})

function branches(): Objects {
  return {
    1: '<</Type/Catalog/Pages 2 0 R>>',
    2: '<</Type/Pages/Count 5/Kids[3 0 R 4 0 R 10 0 R]>>',
    3: '<</Type/Pages/Parent 2 0 R/Count 2/Kids[5 0 R 6 0 R]>>',
    4: '<</Type/Pages/Parent 2 0 R/Count 2/Kids[7 0 R 8 0 R]>>',
    ...Object.fromEntries([5, 6, 7, 8, 10].map((number) => [number, page()])),
  }
}

async function* inPieces(file: Buffer, size: number) {
  for (let offset = 0; offset < file.length; offset += size) yield file.subarray(offset, offset + size)
}
