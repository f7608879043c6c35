import type { PersonalData, PersonalKind } from '../../translation/engine-api/engines.ts'
import { problem } from '../../contract/problems.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import { rethrowEngineFailure } from '../../calls/file-inputs/text-of-file.ts'

/** About ten seconds of work. */
const MAX_CHARACTERS = 500_000
/** About half a second of work, so that no caller occupies a thread for long. */
export const PIECE_CHARACTERS = 20_000
/** Where a text is cut, best first. Personal data across a cut is not found. */
const CUTS = ['\n', '. ', ' ']

type Reader = { signal: AbortSignal; owner: string; services: Pick<CallServices, 'engine'> }
type Piece = { of: number; start: number; text: string }

/** Personal data that the engines find in each of these texts, in the order of the texts. */
export async function personalDataIn(
  texts: readonly string[],
  kinds: readonly PersonalKind[],
  { signal, owner, services }: Reader,
): Promise<PersonalData[][]> {
  refuseTooLong(texts)
  const found: PersonalData[][] = texts.map(() => [])
  for (const pieces of inBatches(texts.flatMap(piecesOf))) {
    const input = { texts: pieces.map(({ text }) => text), kinds }
    const read = await services.engine('privacy', input, signal, owner).catch(rethrowEngineFailure)
    for (const [at, { of, start }] of pieces.entries()) found[of]!.push(...read[at]!.map((one) => shifted(one, start)))
  }
  return found
}

function refuseTooLong(texts: readonly string[]): void {
  if (texts.reduce((sum, { length }) => sum + length, 0) <= MAX_CHARACTERS) return
  const message = `Names and addresses can be searched for in up to ${MAX_CHARACTERS} characters`
  throw problem('validation_error', { message })
}

function piecesOf(text: string, of: number): Piece[] {
  const pieces: Piece[] = []
  for (let start = 0; start < text.length; ) {
    const end = start + lengthOfPiece(text.slice(start, start + PIECE_CHARACTERS))
    pieces.push({ of, start, text: text.slice(start, end) })
    start = end
  }
  return pieces
}

/** The cut is in the second half, so that there are not too many pieces. */
function lengthOfPiece(text: string): number {
  if (text.length < PIECE_CHARACTERS) return text.length
  const ends = CUTS.map((cut) => text.lastIndexOf(cut) + cut.length)
  return ends.find((end) => end > PIECE_CHARACTERS / 2) ?? text.length
}

/** Short texts are sent to the engine together, because each turn in its queue may take long. */
function inBatches(pieces: readonly Piece[]): Piece[][] {
  const batches: Piece[][] = []
  let remaining = 0
  for (const piece of pieces) {
    remaining -= piece.text.length
    if (remaining < 0) {
      batches.push([])
      remaining = PIECE_CHARACTERS - piece.text.length
    }
    batches.at(-1)!.push(piece)
  }
  return batches
}

function shifted(one: PersonalData, by: number): PersonalData {
  return { ...one, start: one.start + by, end: one.end + by }
}
