import { randomBytes } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import * as pdfs from '../../src/base/sniff/fixtures/pdfs.ts'
import * as small from '../../src/base/sniff/fixtures/small-files.ts'
import { archiveOf, docxOf } from '../../src/translation/engines/fixtures/documents.ts'

// Files of every type that the gateway detects, with contents that make its reader work as long as possible.

const HUGE = 0xffff_fff0
const LARGEST_SIDE = 65_500
const MAX_ENTRIES = 65_000

/** `isEndless`: the engine that reads it is stopped after its minute, which `npm test` does not wait for. */
export type HostileFile = { name: string; make(bytes: number): Uint8Array; isEndless?: true }

export const HOSTILE_FILES: readonly HostileFile[] = [
  { name: 'many-pages.pdf', make: (bytes) => pdfs.plainPdf(pdfs.pages(Math.floor(bytes / 130))) },
  { name: 'packed-pages.pdf', make: (bytes) => pdfs.packedPdf(pdfs.pages(Math.floor(bytes / 40)), 1_000) },
  { name: 'deep-lists.pdf', make: (bytes) => pdfOf(1, `<</Type/Catalog/Pages 2 0 R/A ${'['.repeat(bytes)}`) },
  { name: 'deep-tree.pdf', make: (bytes) => pdfs.plainPdf(deepTree(Math.floor(bytes / 60))) },
  { name: 'starts-of-objects.pdf', make: (bytes) => pdfOf(1, '1 0 obj<<'.repeat(bytes / 9)), isEndless: true },
  { name: 'streams-without-end.pdf', make: (bytes) => pdfOf(1, '<</Length 9>>stream\n'.repeat(bytes / 20)) },
  { name: 'zeros-in-a-stream.pdf', make: (bytes) => packedStream(Buffer.alloc(bytes * 20)) },
  { name: 'random.pdf', make: (bytes) => Buffer.concat([pdfs.header(), randomBytes(bytes)]) },
  { name: 'entries.zip', make: (bytes) => archiveOf(...members(Math.min(MAX_ENTRIES, bytes / 120))) },
  { name: 'entries.docx', make: (bytes) => docxOf(`<w:p>${'<w:r><w:t>a</w:t></w:r>'.repeat(bytes / 24)}</w:p>`) },
  { name: 'deep.docx', make: (bytes) => docxOf('<w:p>'.repeat(bytes / 5)) },
  { name: 'zeros.docx', make: (bytes) => docxOf(Buffer.alloc(bytes * 20)) },
  { name: 'lying.docx', make: (bytes) => docxOf('<w:p/>'.repeat(bytes / 6), HUGE) },
  { name: 'entities.docx', make: (bytes) => docxOf(entityBomb(bytes)) },
  { name: 'headers-only.zip', make: (bytes) => Buffer.alloc(bytes, entry()) },
  { name: 'absurd.png', make: (bytes) => padded(small.png(LARGEST_SIDE, LARGEST_SIDE), bytes) },
  { name: 'absurd.jpg', make: (bytes) => padded(small.jpeg(LARGEST_SIDE, LARGEST_SIDE), bytes) },
  {
    name: 'segments.jpg',
    make: (bytes) => small.jpeg(9, 9, { before: Buffer.alloc(bytes, small.segment(0xe1, BYTE)) }),
  },
  { name: 'fill.jpg', make: (bytes) => small.jpeg(9, 9, { before: Buffer.alloc(bytes, 0xff) }) },
  { name: 'absurd.gif', make: (bytes) => padded(small.gif(LARGEST_SIDE, LARGEST_SIDE), bytes) },
  { name: 'absurd.bmp', make: (bytes) => padded(small.bmp(2_000_000_000, -2_000_000_000), bytes) },
  { name: 'absurd.tiff', make: (bytes) => padded(small.tiff(HUGE, LARGEST_SIDE), bytes) },
  { name: 'absurd.webp', make: (bytes) => padded(small.webp.extended(16_000_000, 16_000_000), bytes) },
  { name: 'bomb.svg', make: (bytes) => Buffer.from(`${entityBomb(bytes)}<svg/>`) },
  { name: 'bomb.xml', make: (bytes) => Buffer.from(entityBomb(bytes)) },
  { name: 'deep.html', make: (bytes) => Buffer.from('<div>'.repeat(bytes / 5)) },
  { name: 'comments.html', make: (bytes) => Buffer.from('<!--'.repeat(bytes / 4)) },
  { name: 'cells.csv', make: (bytes) => Buffer.from(`${','.repeat(bytes / 2)}\n${',a'.repeat(bytes / 4)}`) },
  { name: 'quotes.csv', make: (bytes) => Buffer.from('"a""b",'.repeat(bytes / 7)) },
  { name: 'cells.json', make: (bytes) => Buffer.from(`[${'0,'.repeat(bytes / 2)}0]`) },
  { name: 'deep.json', make: (bytes) => Buffer.from('['.repeat(bytes)) },
  { name: 'blanks.json', make: (bytes) => Buffer.from(`${' '.repeat(bytes)}{`) },
  { name: 'lying.wav', make: (bytes) => lying(small.wav(), 4, bytes) },
  { name: 'lying.mp3', make: (bytes) => lying(small.id3(small.mp3()), 6, bytes) },
  { name: 'frames.mp3', make: (bytes) => small.mp3(Math.floor(bytes / 417)) },
  { name: 'lying.mp4', make: (bytes) => lying(small.ftyp('isom'), 0, bytes) },
  { name: 'absurd.mkv', make: (bytes) => padded(small.ebml('matroska'), bytes) },
  { name: 'lying.doc', make: (bytes) => padded(small.compound('WordDocument', { directorySector: HUGE }), bytes) },
  { name: 'bom.txt', make: (bytes) => small.utf16('\ud800'.repeat(bytes / 2)) },
  { name: 'accents.txt', make: (bytes) => Buffer.from('a\u0301\u0300'.repeat(bytes / 5)) },
]

const BYTE = Buffer.from('a')

function pdfOf(number: number, object: string): Buffer {
  return pdfs.plainPdf({ [number]: object })
}

function deepTree(levels: number): pdfs.Objects {
  const objects: pdfs.Objects = { 1: '<< /Type /Catalog /Pages 2 0 R >>' }
  for (let at = 2; at < levels; at++) objects[at] = `<< /Type /Pages /Kids [${at + 1} 0 R] /Count 1 >>`
  return { ...objects, [Math.max(2, levels)]: pdfs.page() }
}

function packedStream(content: Buffer): Buffer {
  const stream = pdfs.streamObject(
    9,
    '/Type /ObjStm /N 100000 /First 900000 /Filter /FlateDecode',
    deflateSync(content),
  )
  return Buffer.concat([pdfs.plainPdf(pdfs.pages(1)), stream])
}

function members(count: number) {
  return Array.from({ length: Math.floor(count) }, (_, at) => ({ name: `word/${at}`, text: 'a', claims: HUGE }))
}

/** The header of an entry without a name and of unknown size. */
function entry(): Buffer {
  const head = Buffer.alloc(30)
  head.write('PK\x03\x04', 'latin1')
  head.writeUInt16LE(8, 6)
  return head
}

function entityBomb(bytes: number): string {
  const line = (at: number) => `<!ENTITY e${at + 1} "${`&e${at};`.repeat(10)}">`
  const lines = Array.from({ length: Math.floor(bytes / 70) }, (_, at) => line(at))
  return `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY e0 "a">${lines.join('')}]><a>&e9;</a>`
}

function padded(head: Buffer, bytes: number): Buffer {
  return Buffer.concat([head, Buffer.alloc(bytes)])
}

/** Writes a false size. */
function lying(file: Buffer, at: number, bytes: number): Buffer {
  const copy = padded(file, bytes)
  copy.writeUInt32BE(0x7f7f_7f7f, at)
  return copy
}
