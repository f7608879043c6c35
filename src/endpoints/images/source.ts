import type { WireRequest, WireSource } from '../../translation/wire/wire.ts'
import { type FileSource, joined } from '../../translation/dialects/form-body.ts'
import type { ImageCall } from '../../translation/dialects/image-codec.ts'
import { base64Length, base64Of } from '../../calls/files/base64.ts'

/** The images of the request that are in temp files. */
export function sourcesOf({ images, mask }: ImageCall): FileSource[] {
  return [...images, ...(mask ? [mask] : [])].flatMap((image) => ('source' in image && image.source) || [])
}

/** Replaces the marks in the body with the base64 of the images while it is sent, so that it is never in memory as a whole. */
export function withImages(wire: WireRequest, sources: readonly FileSource[]): WireRequest {
  if (typeof wire.body !== 'string') return wire
  const pieces = sources.reduce<Piece[]>(filled, [wire.body])
  if (pieces.length === 1) return wire
  return {
    ...wire,
    body: null,
    source: joined(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece))),
  }
}

type Piece = string | WireSource

function filled(pieces: readonly Piece[], source: FileSource): Piece[] {
  const base64: Piece = { length: base64Length(source.length), read: () => base64Of(source.read()) }
  return pieces.flatMap((piece): Piece[] =>
    typeof piece === 'string'
      ? piece.split(source.mark).flatMap((text, index): Piece[] => (index > 0 ? [base64, text] : [text]))
      : [piece],
  )
}
