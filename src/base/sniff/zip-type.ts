// Office documents are zip archives. The names of the members decide the type; nothing is ever decompressed.

const ENTRY = Buffer.from('PK\x03\x04', 'latin1')
const ENTRY_BYTES = 30
const MAX_ENTRIES = 1_000
const SIZES_FOLLOW = 0x08
const STORED = 0

const FOLDERS = [
  { folder: 'word/', type: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document' },
  { folder: 'xl/', type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' },
  { folder: 'ppt/', type: 'application/vnd.openxmlformats-officedocument.presentationml.presentation' },
]
/** Types that a first member named `mimetype` may state. */
const REPORTED = /^application\/(vnd\.oasis\.opendocument\.(text|spreadsheet|presentation|graphics)|epub\+zip)$/

type Entry = { name: string; method: number; data: number; next: number; size: number }

export function zipType(head: Buffer): string {
  const entries = [...entriesOf(head)]
  const [first] = entries
  if (first?.name === 'mimetype' && first.method === STORED) {
    const reported = head.toString('latin1', first.data, first.data + first.size)
    if (REPORTED.test(reported)) return reported
  }
  if (!entries.some(({ name }) => name === '[Content_Types].xml' || name === '_rels/.rels')) return 'application/zip'
  const found = FOLDERS.find(({ folder }) => entries.some(({ name }) => name.startsWith(folder)))
  return found?.type ?? 'application/zip'
}

/** Yields the entries within the head. If an entry does not state its size up front, the next entry is searched for. */
function* entriesOf(head: Buffer): Generator<Entry> {
  let at = 0
  for (let count = 0; count < MAX_ENTRIES; count++) {
    if (at < 0 || at + ENTRY_BYTES > head.length || !head.subarray(at, at + 4).equals(ENTRY)) return
    const entry = readEntry(head, at)
    yield entry
    at = entry.next
  }
}

function readEntry(head: Buffer, at: number): Entry {
  const nameEnd = at + ENTRY_BYTES + head.readUInt16LE(at + 26)
  const data = nameEnd + head.readUInt16LE(at + 28)
  const size = head.readUInt32LE(at + 18)
  const unknownSize = (head.readUInt16LE(at + 6) & SIZES_FOLLOW) !== 0 && size === 0
  const next = unknownSize ? head.indexOf(ENTRY, data) : data + size
  return {
    name: head.toString('latin1', at + ENTRY_BYTES, nameEnd),
    method: head.readUInt16LE(at + 8),
    data,
    next,
    size,
  }
}
