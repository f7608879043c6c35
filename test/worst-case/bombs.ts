import { constants, deflateRawSync, deflateSync } from 'node:zlib'
import { header, streamObject } from '../../src/base/sniff/fixtures/pdfs.ts'
import { archiveOf } from '../../src/translation/engines/fixtures/documents.ts'
import { MB } from '../../src/base/units/units.ts'

// Small files that unpack to gigabytes, one for each way in which a format allows that. They are made here and never stored.

const UNPACKED = 1024 * MB
const BLOCK = 16 * MB
const ZLIB_HEADER = Buffer.from([0x78, 0x9c])
const LAST_BLOCK = Buffer.from([0x03, 0x00, 0, 0, 0, 1])
/** The most pixels that an engine reads with little memory. */
const SIDE = 4_000

export type Bomb = { name: string; make(): Uint8Array }

export const PDF_BOMBS: readonly Bomb[] = [
  pdf('text-packed-twice', () => [page(), text('[/FlateDecode/FlateDecode]', packedTwice(' '))]),
  pdf('text-packed-once', () => [page(), text('/FlateDecode', packed(UNPACKED, ' '))]),
  pdf('text-in-runs', () => [page(), text('[/FlateDecode/RunLengthDecode]', packed(16 * MB, '\x81 '))]),
  pdf('text-in-base-85', () => [page(), text('[/FlateDecode/ASCII85Decode]', packed(UNPACKED / 4, 'z'))]),
  pdf('text-in-hexadecimal', () => [page(), text('[/FlateDecode/ASCIIHexDecode]', packed(UNPACKED, '20'))]),
  pdf('text-in-lzw', () => [page(), text('[/FlateDecode/LZWDecode]', packed(UNPACKED / 4, '\x80\x0b\x60\x50'))]),
  pdf('rows-of-a-predictor', () => [
    page(),
    text('/FlateDecode/DecodeParms<</Predictor 12/Columns 1000000>>', packed(UNPACKED, '\0')),
  ]),
  pdf('letters-without-end', () => [page(), text('/FlateDecode', packed(UNPACKED / 4, 'BT /F1 9 Tf (ab) Tj ET '))]),
  pdf('a-font-packed-twice', () => [
    page(FONT),
    text('', Buffer.from('BT /F1 9 Tf (abc) Tj ET')),
    stream(6, packedTwice(' ')),
  ]),
  pdf('packed-table-of-objects', () => [page(), tableOfObjects(packedTwice('\0'))]),
  pdf('image-packed-twice', () => [page(), ...image(SIDE, '[/FlateDecode/FlateDecode]', packedTwice('\0'))]),
  pdf('image-painted-often', () => [page(), ...image(SIDE, '/FlateDecode', packed(SIDE * SIDE, '\0'), 1_000)]),
  pdf('image-of-claimed-size', () => [page(), ...image(100, '/FlateDecode', packed(UNPACKED, '\0'))]),
  pdf('image-of-absurd-size', () => [page(), ...image(2_000_000_000, '/FlateDecode', packed(BLOCK, '\0'))]),
  pdf('fax', () => [page(), ...image(SIDE, FAX, Buffer.alloc(100_000, 0xff))]),
  pdf('jbig2', () => [page(), ...image(SIDE, '/JBIG2Decode', jbig2(60_000))]),
  pdf('jpeg-2000', () => [page(), ...image(SIDE, '/JPXDecode', jpeg2000(60_000))]),
  pdf('forms-within-forms', () => forms(9, 12)),
  pdf('absurd-page', () => [page(FONT, '[0 0 2000000000 2000000000]'), ...image(9, '/FlateDecode', packed(81, '\0'))]),
]

export const OFFICE_BOMBS: readonly Bomb[] = [
  docx('zeros', () => Buffer.alloc(300 * MB)),
  docx('tags', () => Buffer.alloc(100 * MB, '<w:p>')),
  docx('text', () => Buffer.concat([Buffer.from('<w:p><w:r><w:t>'), Buffer.alloc(100 * MB, 'ab ')])),
  docx('entities', () => Buffer.from(ENTITIES)),
  xlsx('shared-strings', () => ({ strings: Buffer.alloc(42 * MB, '<si><t>a</t></si>'), sheet: Buffer.from('<row/>') })),
  xlsx('cells', () => ({
    strings: Buffer.from('<sst/>'),
    sheet: Buffer.alloc(42 * MB, '<row><c r="XFD1"><v>1</v></c>'),
  })),
  xlsx('one-string-often', () => ({
    strings: Buffer.concat([Buffer.from('<sst><si><t>'), Buffer.alloc(MB, 'ab '), Buffer.from('</t></si></sst>')]),
    sheet: Buffer.alloc(20 * MB, '<row><c t="s"><v>0</v></c>'),
  })),
]

const FAX = `/CCITTFaxDecode/DecodeParms<</K -1/Columns 60000/Rows 60000>>`
const FONT =
  '/Font<</F1<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/Identity-H/ToUnicode 6 0 R' +
  '/DescendantFonts[<</Type/Font/Subtype/CIDFontType2/BaseFont/A>>]>>>>/XObject<</S0 5 0 R>>'
const LETTERS = '/XObject<</S0 5 0 R>>/Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>'
const LAUGHS = Array.from({ length: 30 }, (_, at) => `<!ENTITY e${at + 1} "${`&e${at};`.repeat(10)}">`).join('')
const ENTITIES = `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY e0 "ha">${LAUGHS}]><w:p>&e30;</w:p>`

function pdf(name: string, objects: () => Buffer[]): Bomb {
  const make = () => {
    const [first, ...others] = objects()
    // The table of objects, if there is one, comes second.
    const table = others[0]?.includes('/Type/XRef') ? header().length + first!.length : 9
    const end = `trailer\n<</Size 99/Root 1 0 R>>\nstartxref\n${table}\n%%EOF\n`
    return new Uint8Array(Buffer.concat([header(), first!, ...others, Buffer.from(end)]))
  }
  return { name: `${name}.pdf`, make }
}

function page(resources = LETTERS, box = '[0 0 612 792]'): Buffer {
  const entries = `/Type/Page/Parent 2 0 R/MediaBox${box}/Contents 4 0 R/Resources<<${resources}>>`
  return Buffer.from(
    '1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n' +
      `3 0 obj\n<<${entries}>>\nendobj\n`,
  )
}

function text(filter: string, content: Buffer): Buffer {
  return streamObject(4, filter && `/Filter${filter}`, content)
}

function stream(number: number, content: Buffer): Buffer {
  return streamObject(number, '/Filter[/FlateDecode/FlateDecode]', content)
}

function image(side: number, filter: string, content: Buffer, times = 1): Buffer[] {
  const entries = `/Type/XObject/Subtype/Image/Width ${side}/Height ${side}/ColorSpace/DeviceGray/BitsPerComponent 8`
  return [text('', Buffer.from('/S0 Do '.repeat(times))), streamObject(5, `${entries}/Filter${filter}`, content)]
}

function tableOfObjects(content: Buffer): Buffer {
  return streamObject(7, '/Type/XRef/Size 99/W[1 2 1]/Root 1 0 R/Filter[/FlateDecode/FlateDecode]', content)
}

/** Each form paints the next one several times. */
function forms(levels: number, times: number): Buffer[] {
  const form = (number: number, content: string) => {
    const resources = `/Resources<</XObject<</S0 ${number + 1} 0 R>>>>`
    return streamObject(number, `/Type/XObject/Subtype/Form/BBox[0 0 9 9]${resources}`, Buffer.from(content))
  }
  const all = Array.from({ length: levels }, (_, at) => form(5 + at, '/S0 Do '.repeat(times)))
  return [page(), text('', Buffer.from('/S0 Do')), ...all, form(5 + levels, '0 0 9 9 re f')]
}

/** A segment with the size of the page. */
function jbig2(side: number): Buffer {
  const segment = Buffer.alloc(30)
  segment[4] = 0x30
  segment[6] = 1
  segment.writeUInt32BE(19, 7)
  segment.writeUInt32BE(side, 11)
  segment.writeUInt32BE(side, 15)
  return segment
}

/** The start of a code stream, with the size of the image. */
function jpeg2000(side: number): Buffer {
  const sizes = Buffer.alloc(43)
  sizes.writeUInt32BE(0xff4f_ff51)
  sizes.writeUInt16BE(41, 4)
  for (const at of [8, 12, 24, 28]) sizes.writeUInt32BE(side, at)
  sizes.writeUInt16BE(1, 40)
  const end = Buffer.from('0701 01 ff52000c00000001000104040001 ff5c000440 40 ff93'.replaceAll(' ', ''), 'hex')
  return Buffer.concat([sizes.subarray(0, 42), end])
}

function docx(name: string, xml: () => Uint8Array): Bomb {
  const make = () =>
    archiveOf(relations('_rels/.rels', { officeDocument: 'word/document.xml' }), {
      name: 'word/document.xml',
      text: xml(),
    })
  return { name: `${name}.docx`, make }
}

function xlsx(name: string, parts: () => { strings: Buffer; sheet: Buffer }): Bomb {
  const make = () => {
    const { strings, sheet } = parts()
    return archiveOf(
      relations('_rels/.rels', { officeDocument: 'xl/workbook.xml' }),
      { name: 'xl/workbook.xml', text: '<workbook><sheets><sheet name="a" r:id="worksheet"/></sheets></workbook>' },
      relations('xl/_rels/workbook.xml.rels', { worksheet: 'sheet.xml', sharedStrings: 'strings.xml' }),
      { name: 'xl/strings.xml', text: strings },
      { name: 'xl/sheet.xml', text: sheet },
    )
  }
  return { name: `${name}.xlsx`, make }
}

/** The targets by the last word of their type, which is their id as well. */
function relations(name: string, targets: Record<string, string>) {
  const relation = ([type, target]: [string, string]) =>
    `<Relationship Id="${type}" Type="http://x/${type}" Target="${target}"/>`
  return { name, text: `<Relationships>${Object.entries(targets).map(relation).join('')}</Relationships>` }
}

function packedTwice(filler: string): Buffer {
  return deflateSync(packed(UNPACKED, filler))
}

/** A zlib stream that unpacks to so many bytes: one packed block, repeated, so that making it takes little time. */
function packed(bytes: number, filler: string): Buffer {
  const size = Math.min(bytes, BLOCK)
  const plain = Buffer.alloc(size, Buffer.from(filler, 'latin1'))
  const block = deflateRawSync(plain, { finishFlush: constants.Z_FULL_FLUSH, level: 9 })
  return Buffer.concat([ZLIB_HEADER, ...Array<Buffer>(Math.ceil(bytes / size)).fill(block), LAST_BLOCK])
}
