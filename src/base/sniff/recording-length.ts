import { asBuffer } from '../bytes/as-buffer.ts'
import { sniffType } from './sniff-type.ts'

// How long a recording can be at most. Providers bill its seconds, and its size alone says little about them: a minute has
// from 36 kB to 20 MB.

/** 4.8 kbit/s: less than the slowest codecs for speech, AMR and Opus. */
const LEAST_BYTES_PER_SECOND = 600
/** The lowest bit rate of MPEG audio is 8 kbit/s. */
const LEAST_OF_MPEG = 1_000
/** A picture that hardly changes, with sound: 64 kbit/s. */
const LEAST_OF_VIDEO = 8_000

/** `head` is the beginning of the recording; without it, the slowest codec is assumed. */
export function mostSeconds(size: number, head: Uint8Array = new Uint8Array()): number {
  const bytes = asBuffer(head)
  return Math.ceil(size / (waveBytesPerSecond(bytes) ?? leastOf(sniffType(bytes))))
}

/** The same for a video, in which pictures take most of the bytes. */
export function mostVideoSeconds(size: number): number {
  return Math.ceil(size / LEAST_OF_VIDEO)
}

function leastOf(type: string): number {
  return type === 'audio/mpeg' ? LEAST_OF_MPEG : LEAST_BYTES_PER_SECOND
}

const CHUNK_HEAD_BYTES = 8
/** Samples as they are: whole numbers, and numbers with a point. */
const UNCOMPRESSED = [1, 3]
/** The codec is in a longer header. */
const EXTENSIBLE = 0xfffe
const MAX_CHUNKS = 100

/** Of a wave file without compression, as its header says; undefined for all other files. */
function waveBytesPerSecond(head: Buffer): number | undefined {
  if (head.toString('latin1', 0, 4) !== 'RIFF' || head.toString('latin1', 8, 12) !== 'WAVE') return undefined
  for (let at = 12, chunks = 0; at + 24 <= head.length && chunks < MAX_CHUNKS; chunks++) {
    if (head.toString('latin1', at, at + 4) === 'fmt ') return rateIn(head.subarray(at + CHUNK_HEAD_BYTES))
    const length = head.readUInt32LE(at + 4)
    at += CHUNK_HEAD_BYTES + length + (length % 2)
  }
  return undefined
}

/** Two of its fields say the same. If they differ, the slower one counts. */
function rateIn(format: Buffer): number | undefined {
  const codec = format.readUInt16LE(0)
  const isLong = codec === EXTENSIBLE && format.length >= 26
  if (!UNCOMPRESSED.includes(isLong ? format.readUInt16LE(24) : codec)) return undefined
  return Math.max(1, Math.min(format.readUInt32LE(8), format.readUInt32LE(4) * format.readUInt16LE(12)))
}
