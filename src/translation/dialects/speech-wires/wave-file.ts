const HEADER_BYTES = 44
const BYTES_PER_SAMPLE = 2

/** Turns 16-bit mono samples into a WAV file. */
export function waveFile(samples: Uint8Array, rateHz: number): Uint8Array {
  const file = Buffer.alloc(HEADER_BYTES + samples.length)
  file.write('RIFF', 0)
  file.writeUInt32LE(file.length - 8, 4)
  file.write('WAVEfmt ', 8)
  file.writeUInt32LE(16, 16)
  // Uncompressed samples, one channel.
  file.writeUInt16LE(1, 20)
  file.writeUInt16LE(1, 22)
  file.writeUInt32LE(rateHz, 24)
  file.writeUInt32LE(rateHz * BYTES_PER_SAMPLE, 28)
  file.writeUInt16LE(BYTES_PER_SAMPLE, 32)
  file.writeUInt16LE(BYTES_PER_SAMPLE * 8, 34)
  file.write('data', 36)
  file.writeUInt32LE(samples.length, 40)
  file.set(samples, HEADER_BYTES)
  return file
}
