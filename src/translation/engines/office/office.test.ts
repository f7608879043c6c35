import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { sample } from '../../../../test/soak/sample.ts'
import { archiveOf, BOATS_XLSX, docxOf, FERRY_DOCX, membersOf, PLAN_PPTX } from '../fixtures/documents.ts'
import { readOffice } from './office.ts'
import { MB } from '../../../base/units/units.ts'

const FERRY =
  'Harbour Office\n\nFerry timetable & fares\nThe ferry leaves at nine.\nBring a coat.\nIsland\n' +
  'Ticket\tPrice\nAdult\t12 €\nДорога «на остров» — 島\n\nNot valid on Sundays.\n\nPage'

describe('documents of office programs', () => {
  test('a Word document: paragraphs, breaks, tables, notes, what stands at the top and at the bottom', async () => {
    assert.deepEqual(await read(FERRY_DOCX), [FERRY])
  })

  test('a workbook: a text for each sheet, with dates as dates, results of formulas and empty cells', async () => {
    assert.deepEqual(await read(BOATS_XLSX), [
      'Boats\nHarbour\tOpened\tBoats\tFree\nNorth\t2021-05-01\t12\tTRUE\nSouth & East\t\t7.5\tFALSE\n\t\t19.5',
      'Más\nsecond sheet\n\t\tfar',
    ])
  })

  test('slides: a text for each, in order, with the notes and without the numbers that the program fills in', async () => {
    assert.deepEqual(await read(PLAN_PPTX), [
      'Harbour plan\nFirst point\nSecond point\n\nSay hello first.',
      'Pier\tDepth\nA\t4 m',
    ])
  })

  test('what is not shown is not read: deleted words, fields, older drawings of the same, stops of tabs', async () => {
    const xml =
      '<d:document><d:p><d:pPr><d:tabs><d:tab/></d:tabs></d:pPr><d:r><d:t>a</d:t><d:tab/><d:t>b</d:t></d:r>' +
      '<d:del><d:delText>gone</d:delText></d:del><d:instrText>PAGE</d:instrText>' +
      '<m:AlternateContent><m:Choice><d:t>c</d:t></m:Choice><m:Fallback><d:t>c</d:t></m:Fallback></m:AlternateContent>' +
      '</d:p><d:p><d:t a="x > y">&#8364;&#x20AC;&lt;<![CDATA[<i>]]><!-- <t>no</t> --></d:t></d:p></d:document>'
    assert.deepEqual(await read(docxOf(xml)), ['a\tbc\n€€<<i>'])
  })

  test('UTF-16 is read as such', async () => {
    const wide = Buffer.from('\ufeff<document><p><t>čaj</t></p></document>', 'utf16le')
    assert.deepEqual(await read(docxOf(wide)), ['čaj'])
  })

  test('archives in the zip64 form are read: some writers use it for every file', async () => {
    const members = [...membersOf('<document><p><t>large</t></p></document>')]
    assert.deepEqual(await read(archiveOf(...members.map((member) => ({ ...member, isZip64: true })))), ['large'])
  })
})

describe('documents that mean harm', () => {
  const KILO = 'a'.repeat(1024)

  test('unpack to more than they say: not a byte more is unpacked', async () => {
    await refused(docxOf(KILO.repeat(4_000), 1_000), /damaged/)
  })

  test('say that they unpack to more than is allowed: nothing is unpacked', async () => {
    await refused(docxOf('<t/>', 129 * MB), /more than 128 MB/)
  })

  test('have more members than any document', async () => {
    const many = Array.from({ length: 10_001 }, (_, index) => ({ name: `${index}`, text: '' }))
    await refused(archiveOf(...many), /more than 128 MB/)
  })

  test('are encrypted', async () => {
    const locked = membersOf('<p><t>secret</t></p>').map((member) => ({ ...member, isEncrypted: true }))
    await refused(archiveOf(...locked), /encrypted/)
  })

  test('hold more text than is allowed', async () => {
    await refused(docxOf(`<p><t>${KILO.repeat(4_000)}</t></p>`), /million characters/)
  })

  test('show the same text on every sheet', async () => {
    const relation = (id: string, type: string, target: string) =>
      `<Relationship Id="${id}" Type="http://x/${type}" Target="${target}"/>`
    const members = {
      '_rels/.rels': relation('r', 'officeDocument', 'xl/workbook.xml'),
      'xl/_rels/workbook.xml.rels': relation('a', 'worksheet', 'a.xml') + relation('b', 'sharedStrings', 'b.xml'),
      'xl/workbook.xml': '<sheet name="a" r:id="a"/>'.repeat(5),
      'xl/a.xml': '<row><c t="s"><v>0</v></c></row>',
      'xl/b.xml': `<si><t>${KILO.repeat(1_000)}</t></si>`,
    }
    await refused(archiveOf(...Object.entries(members).map(([name, text]) => ({ name, text }))), /million characters/)
  })

  test('open a million tags and close none', async () => {
    assert.deepEqual(await read(docxOf(`${'<a>'.repeat(1_000_000)}<p><t>deep</t></p>`)), ['deep'])
  })

  test('declare entities that unfold', async () => {
    await refused(docxOf('<!DOCTYPE a [<!ENTITY b "&c;&c;"><!ENTITY c "x">]><p><t>&b;</t></p>'), /document type/)
    assert.deepEqual(await read(docxOf('<p><t>&b; &#99999999;</t></p>')), ['&b; &#99999999;'])
  })

  test('are cut, empty, or no documents at all', async () => {
    await refused(FERRY_DOCX.slice(0, 9_000), /damaged/)
    await refused(docxOf('<p><t a="never closed'), /incomplete/)
    await refused(new Uint8Array(), /damaged/)
    await refused(archiveOf({ name: 'a.txt', text: 'a' }), /not a DOCX/)
    const wrong = Buffer.from(FERRY_DOCX)
    wrong.writeUInt32LE(0xfffffff0, wrong.length - 6)
    await refused(wrong, /damaged/)
  })
})

test('no damage to an archive makes it stumble: a document is read or refused', async () => {
  const archive = Buffer.from(archiveOf(...membersOf('<p><t>text</t></p>').map((one) => ({ ...one, isZip64: true }))))
  const byte = fc.record({ at: fc.nat(archive.length - 1), to: fc.nat(255) })
  const damage = fc.record({
    changes: fc.array(byte, { maxLength: 4 }),
    cut: fc.nat(30),
    more: fc.uint8Array({ maxLength: 30 }),
  })
  await fc.assert(
    fc.asyncProperty(damage, async ({ changes, cut, more }) => {
      const copy = Buffer.concat([archive.subarray(0, archive.length - cut), more])
      for (const { at, to } of changes) if (at < copy.length) copy[at] = to
      const pages = await read(copy).catch((error: Error) => error)
      assert.ok(Array.isArray(pages) || pages.name === 'Unreadable', String(pages))
    }),
    { numRuns: sample(500, 20_000) },
  )
})

async function read(bytes: Uint8Array): Promise<string[]> {
  return (await readOffice({ bytes })).pages
}

async function refused(bytes: Uint8Array, why: RegExp) {
  await assert.rejects(read(bytes), { name: 'Unreadable', message: why })
}
