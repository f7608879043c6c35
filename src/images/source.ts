import type { WireRequest, WireSource } from '../wire/wire.ts'
import { type FileSource, joined } from '../dialects/form-body.ts'
import type { ImageCall } from '../dialects/image-codec.ts'
import { base64Length, base64Of } from '../files/base64.ts'

/** What lies on the shelf of the images that are sent along. */
export function sourcesOf({ images, mask }: ImageCall): FileSource[] {
  return [...images, ...(mask ? [mask] : [])].flatMap((image) => ('source' in image && image.source) || [])
}

/** Where marks stand in a text for images, the images' base64 is put in as it is sent: it never stands in memory. */
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
