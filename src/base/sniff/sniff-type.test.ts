import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { HEAD_BYTES } from './head-bytes.ts'
import * as files from './fixtures/small-files.ts'
import { sniffType } from './sniff-type.ts'
import { sample } from '../../../test/soak/sample.ts'

const { bytes, latin1 } = files
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const PPTX = 'application/vnd.openxmlformats-officedocument.presentationml.presentation'

const PAGE = '<!doctype html><title>x</title>'
const LONG_TEXT = 'Sätze, die kein Ende nehmen; '.repeat(5_000)

type Row = [name: string, file: Buffer | string, type: string]

const IMAGES: Row[] = [
  ['png', files.png(), 'image/png'],
  ['jpeg', files.jpeg(), 'image/jpeg'],
  ['gif 87', files.gif(3, 2, '87a'), 'image/gif'],
  ['gif 89', files.gif(), 'image/gif'],
  ['webp', files.webp.lossy(), 'image/webp'],
  ['bmp', files.bmp(), 'image/bmp'],
  ['bmp of OS/2', files.oldBmp(), 'image/bmp'],
  ['tiff, Intel', files.tiff(), 'image/tiff'],
  ['tiff, Motorola', files.tiff(3, 2, false), 'image/tiff'],
  ['heic', files.ftyp('heic', 'mif1'), 'image/heic'],
  ['heic by a generic brand', files.ftyp('mif1', 'heic'), 'image/heic'],
  ['avif', files.ftyp('avif', 'mif1'), 'image/avif'],
  ['avif by a generic brand', files.ftyp('mif1', 'miaf', 'avif'), 'image/avif'],
  ['ico', files.ico(), 'image/x-icon'],
  ['svg', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml'],
  ['svg with everything before it', '\ufeff <?xml version="1.0"?>\n<!-- a > b -->\n<svg:svg/>', 'image/svg+xml'],
  ['svg by its doctype', '<!DOCTYPE svg PUBLIC "x" "y" [<!ENTITY a "b">]><svg/>', 'image/svg+xml'],
]

const DOCUMENTS: Row[] = [
  ['pdf', '%PDF-1.7\n%âãÏÓ', 'application/pdf'],
  ['pdf with a little in front', Buffer.concat([bytes(0, 1, 2, 255), latin1('\n%PDF-1.4\n')]), 'application/pdf'],
  ['zip', files.zip({ name: 'a.txt', content: 'a' }), 'application/zip'],
  ['empty zip', files.zip(), 'application/zip'],
  ['docx', files.office('word'), DOCX],
  ['xlsx', files.office('xl'), XLSX],
  ['pptx', files.office('ppt'), PPTX],
  ['docx with its sizes after the data', files.office('word', true), DOCX],
  ['odt', files.openDocument('text'), 'application/vnd.oasis.opendocument.text'],
  ['ods', files.openDocument('spreadsheet'), 'application/vnd.oasis.opendocument.spreadsheet'],
  [
    'zip that tells an invented type',
    files.zip({ name: 'mimetype', content: 'text/html', stored: true }),
    'application/zip',
  ],
  [
    'zip with a docx in it',
    files.zip({ name: 'a.docx', content: files.office('word'), stored: true }),
    'application/zip',
  ],
  ['zip with a folder word', files.zip({ name: 'word/a.txt' }), 'application/zip'],
  [
    'zip with names of our own objects',
    files.zip({ name: '_rels/.rels' }, { name: 'constructor/x' }),
    'application/zip',
  ],
  ['zip bomb', files.zipBomb(), 'application/zip'],
  ['zip that climbs', files.zip({ name: '../../../../etc/passwd', content: 'x' }), 'application/zip'],
  ['doc', files.compound('WordDocument'), 'application/msword'],
  ['xls', files.compound('Workbook'), 'application/vnd.ms-excel'],
  ['old xls', files.compound('Book'), 'application/vnd.ms-excel'],
  ['ppt', files.compound('PowerPoint Document'), 'application/vnd.ms-powerpoint'],
  [
    'doc whose directory is far back',
    files.compound('x', { firstSector: bytes(0xec, 0xa5, 0xc1), directorySector: 9_999 }),
    'application/msword',
  ],
  ['something else of that kind', files.compound('constructor'), 'application/x-ole-storage'],
  ['rtf', '{\\rtf1\\ansi Hi}', 'application/rtf'],
  ['gzip', files.gzip(), 'application/gzip'],
]

const MEDIA: Row[] = [
  ['mp3', files.mp3(), 'audio/mpeg'],
  ['mp3 with a tag', files.id3(files.mp3()), 'audio/mpeg'],
  ['mp3 of one frame', files.mp3(1), 'audio/mpeg'],
  ['aac', files.aac(), 'audio/aac'],
  ['aac with a tag', files.id3(files.aac()), 'audio/aac'],
  ['wav', files.wav(), 'audio/wav'],
  ['flac', 'fLaC\0\0\0\x22', 'audio/flac'],
  ['ogg', files.ogg('\x01vorbis'), 'audio/ogg'],
  ['opus', files.ogg('OpusHead\x01\x02'), 'audio/opus'],
  ['theora', files.ogg('\x80theora'), 'video/ogg'],
  ['m4a', files.ftyp('M4A ', 'isom'), 'audio/mp4'],
  ['mp4', files.ftyp('isom', 'avc1'), 'video/mp4'],
  ['mov', files.ftyp('qt  '), 'video/quicktime'],
  ['3gp', files.ftyp('3gp5'), 'video/3gpp'],
  ['webm', files.ebml('webm', 'V_VP9', 'A_OPUS'), 'video/webm'],
  ['webm from a microphone', files.ebml('webm', 'A_OPUS'), 'audio/webm'],
  ['mkv', files.ebml('matroska', 'V_VP9'), 'video/x-matroska'],
  ['avi', files.avi(), 'video/x-msvideo'],
  ['amr', '#!AMR\n\x3c', 'audio/amr'],
  ['amr, wide band', '#!AMR-WB\n\x3c', 'audio/amr-wb'],
]

const TEXTS: Row[] = [
  ['json', '{"a": [1, 2, {"b": null}]}', 'application/json'],
  ['json, a list', '\ufeff\n [1, "zwei"]\n', 'application/json'],
  ['json, longer than the head', `{"a": "${LONG_TEXT}"}`, 'application/json'],
  ['json of 60,000 brackets', '['.repeat(60_000), 'text/plain'],
  ['a number is no document', '42', 'text/plain'],
  ['braces that are no json', '{see below}', 'text/plain'],
  ['xml', '<?xml version="1.0"?><note><to>You</to></note>', 'application/xml'],
  ['xml without a declaration', '<note><to>You</to></note>', 'application/xml'],
  [
    'xml that laughs a billion times',
    '<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><l>&b;</l>',
    'application/xml',
  ],
  ['html', PAGE, 'text/html'],
  ['html in capitals after space', '\r\n\t <HTML><BODY>', 'text/html'],
  ['html behind a comment', '<!-- <?xml --> <script>alert(1)</script>', 'text/html'],
  ['html in Latin-1', latin1('<html><p>Gr\xfc\xdfe'), 'text/html'],
  ['html in UTF-16', files.utf16(PAGE), 'text/html'],
  ['html in UTF-16, big end first', files.utf16(PAGE, false), 'text/html'],
  ['xhtml', '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>', 'text/html'],
  ['csv', 'name,age\nAda,36\n"Grace, Rear Admiral",85\n', 'text/csv'],
  ['csv with semicolons', 'a;b;c\r\n1;2;3\r\n', 'text/csv'],
  ['csv with line breaks in cells', 'a,b\n"1\n2",3\n4,5\n', 'text/csv'],
  ['csv, longer than the head', `id,text\n${'1,abcdefghij\n'.repeat(10_000)}`, 'text/csv'],
  ['tsv', 'a\tb\n1\t2\n', 'text/tab-separated-values'],
  ['prose with commas', 'Hello, you\nSo long, all\n', 'text/plain'],
  ['a letter', 'Dear Ada,\nthank you, and so on.\n', 'text/plain'],
  ['plain', 'Just text.', 'text/plain'],
  ['plain, not ASCII', 'Grüße aus 東京 🗼', 'text/plain'],
  ['plain, cut within a character', LONG_TEXT, 'text/plain'],
  ['plain in UTF-16', files.utf16('Grüße'), 'text/plain'],
  ['plain in UTF-16, big end first', files.utf16('Grüße', false), 'text/plain'],
  ['text that starts like a bitmap', 'BMW builds cars, and BM is only where it starts.', 'text/plain'],
  ['text that starts like a tag of music', 'ID3 is a format for tags.', 'text/plain'],
]

const UNKNOWN: Row[] = [
  ['nothing', '', 'application/octet-stream'],
  ['a null byte', 'text\0text', 'application/octet-stream'],
  ['an escape', '\x1b[31mred', 'application/octet-stream'],
  ['not UTF-8', latin1('Gr\xfc\xdfe'), 'application/octet-stream'],
  ['a character that is cut in a short file', Buffer.from('Grüß').subarray(0, 5), 'application/octet-stream'],
  ['UTF-16 with half a pair', Buffer.from([0xff, 0xfe, 0x00, 0xd8, 0x41, 0x00]), 'application/octet-stream'],
  ['RIFF of something', 'RIFF\0\0\0\0ABCD', 'application/octet-stream'],
  ['an icon without pictures', Buffer.concat([bytes(0, 0, 1, 0), Buffer.alloc(20)]), 'application/octet-stream'],
  ['EBML of something', files.ebml('other'), 'application/octet-stream'],
]

const POLYGLOTS: Row[] = [
  ['gif and script', 'GIF89a/*\0\0\0*/=alert(1)//<script>', 'image/gif'],
  ['png, then a page', Buffer.concat([files.png(), latin1(PAGE)]), 'image/png'],
  ['pdf, then a zip', Buffer.concat([latin1('%PDF-1.4\n'), files.zip({ name: 'a' })]), 'application/pdf'],
  ['zip, then a pdf', Buffer.concat([files.zip({ name: 'a' }), latin1('%PDF-1.4\n')]), 'application/zip'],
  ['a page with a pdf in it', `${PAGE}\n%PDF-1.4`, 'text/html'],
  ['a page with a picture in it', Buffer.concat([latin1(PAGE), files.png()]), 'text/html'],
  ['jpeg with a page in its comment', files.jpeg(3, 2, { before: files.segment(0xfe, latin1(PAGE)) }), 'image/jpeg'],
  ['svg with a script', '<svg><script>alert(1)</script></svg>', 'image/svg+xml'],
]

for (const [title, rows] of Object.entries({ IMAGES, DOCUMENTS, MEDIA, TEXTS, UNKNOWN, POLYGLOTS }))
  describe(title.toLowerCase(), () => {
    for (const [name, file, type] of rows) test(name, () => assert.equal(sniffType(head(file)), type))
  })

test('a view into a larger buffer is read where it stands', () => {
  const around = Buffer.concat([randomBytes(7), files.png(), randomBytes(7)])
  assert.equal(sniffType(new Uint8Array(around.buffer, around.byteOffset + 7, files.png().length)), 'image/png')
})

test('no bytes make it stumble: any, and every real file cut and damaged anywhere', () => {
  const real = [...IMAGES, ...DOCUMENTS, ...MEDIA].map(([, file]) => head(file))
  const damaged = fc.record({ file: fc.constantFrom(...real), cut: fc.nat(600), at: fc.nat(600), to: fc.nat(255) })
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (any) => typeof sniffType(any) === 'string'))
  fc.assert(
    fc.property(damaged, ({ file, cut, at, to }) => {
      const copy = Buffer.from(file.subarray(0, cut))
      if (at < copy.length) copy[at] = to
      assert.match(sniffType(copy), /^[a-z]+\/[a-z0-9.+-]+$/)
    }),
    { numRuns: sample(250, 2_000) },
  )
})

function head(file: Buffer | string): Buffer {
  return Buffer.from(file as string).subarray(0, HEAD_BYTES)
}
