// The container of Office before 2007 is a small file system. Its directory names the stream that identifies the program.

const HEADER_BYTES = 512
const ENTRY_BYTES = 128
const MAX_ENTRIES = 512
const UNKNOWN_COMPOUND = 'application/x-ole-storage'

const STREAMS: Record<string, string> = {
  WordDocument: 'application/msword',
  Workbook: 'application/vnd.ms-excel',
  Book: 'application/vnd.ms-excel',
  'PowerPoint Document': 'application/vnd.ms-powerpoint',
}
/** The first sector usually belongs to the main stream. It is used if the directory is not within the head. */
const FIRST_SECTORS: { starts: Buffer; type: string }[] = [
  { starts: Buffer.from([0xec, 0xa5]), type: 'application/msword' },
  { starts: Buffer.from([0x09, 0x08, 0x10, 0x00]), type: 'application/vnd.ms-excel' },
  { starts: Buffer.from([0x0f, 0x00, 0xe8, 0x03]), type: 'application/vnd.ms-powerpoint' },
]

export function compoundType(head: Buffer): string {
  if (head.length < HEADER_BYTES) return UNKNOWN_COMPOUND
  return directoryType(head) ?? firstSectorType(head) ?? UNKNOWN_COMPOUND
}

function directoryType(head: Buffer): string | undefined {
  const sectorBytes = head.readUInt16LE(30) === 12 ? 4096 : 512
  const start = (head.readUInt32LE(48) + 1) * sectorBytes
  for (let entry = 0; entry < MAX_ENTRIES; entry++) {
    const at = start + entry * ENTRY_BYTES
    if (at + ENTRY_BYTES > head.length) return undefined
    const nameBytes = Math.min(head.readUInt16LE(at + 64), 64)
    const name = head.toString('utf16le', at, at + Math.max(0, nameBytes - 2))
    if (Object.hasOwn(STREAMS, name)) return STREAMS[name]
  }
  return undefined
}

function firstSectorType(head: Buffer): string | undefined {
  const sector = head.subarray(HEADER_BYTES)
  return FIRST_SECTORS.find(({ starts }) => sector.subarray(0, starts.length).equals(starts))?.type
}
