// The engines that run inside the house: what each is given and what it gives back.
import type { ValidationIssue } from '../schema/validation-issue.ts'

export type Engines = {
  language: { input: { text: string }; output: { code: string; confidence: number }[] }
  sentiment: { input: { text: string }; output: { whole: number; sentences: { text: string; score: number }[] } }
  profanity: { input: { text: string }; output: Finding[] }
  entities: { input: { text: string }; output: (Finding & { text: string })[] }
  keywords: { input: { text: string; max: number }; output: { phrase: string; weight: number }[] }
  summary: { input: { text: string; sentences: number }; output: string[] }
  privacy: { input: { texts: readonly string[]; kinds: readonly PersonalKind[] }; output: PersonalData[][] }
  /** As far as each text can be told without what follows it: `end`, and the state to go on with. */
  redact_pii: {
    input: { parts: readonly ScannedPart[]; kinds: readonly PersonalKind[] }
    output: { found: PersonalData[]; end: number; state: ScanState }[]
  }
  spelling: { input: { text: string }; output: (Finding & { suggestions: string[] })[] }
  pdf: { input: { bytes: Uint8Array }; output: { pages: ReadPage[] } }
  scan: { input: { bytes: Uint8Array; page: number }; output: ReadPage }
  office: { input: { bytes: Uint8Array }; output: { pages: string[] } }
  image: { input: { bytes: Uint8Array }; output: { pages: ReadPage[] } }
  mask: { input: { bytes: Uint8Array; redrawn: MaskColour }; output: PaintedMask }
  barcodes: { input: { bytes: Uint8Array }; output: { text: string; format: string; box: Box }[] }
  embeddings: { input: { texts: string[] }; output: number[][] }
  /** The schema is written as JSON. */
  json_heal: { input: { content: string; schema: string }; output: HealedJson }
  /** Which word or pattern each text holds, or -1. */
  block_patterns: { input: { list: WordsAndPatterns; texts: readonly string[] }; output: number[] }
  /** Speed 1 is as usual; the bytes are a WAV file's. */
  speech: { input: { text: string; voice: string; speed: number }; output: { bytes: Uint8Array } }
}

export type EngineName = keyof Engines

/** An answer that was meant to be JSON, mended, or what is wrong with it. */
export type HealedJson = { text: string } | { issues: ValidationIssue[] }
export type WordsAndPatterns = {
  words?: string[] | null | undefined
  patterns?: string[] | null | undefined
  ignore_case?: boolean | null | undefined
}

/** What to redraw is painted in this colour, all else in the other. */
export type MaskColour = 'white' | 'black'
/** A mask whose transparency became a colour; one without transparency (`plain`); one that is not read here. */
export type PaintedMask = { redrawn: MaskColour } & (
  | { kind: 'painted'; bytes: Uint8Array }
  | { kind: 'plain' }
  | { kind: 'unreadable' }
)

/** Something found in a text. Offsets are those of JavaScript strings: `text.slice(start, end)` is it. */
export type Finding = Span & { label: string }
export type Span = { start: number; end: number }

/** Addresses and names have to be read for; all others are told by their form. */
export type PersonalKind = 'email' | 'iban' | 'card' | 'national_id' | 'ip' | 'phone' | 'address' | 'name'
export type PersonalData = Span & { kind: PersonalKind }

export type ScannedPart = { text: string; isAll: boolean; state: ScanState }
/** What stood before a text that was cut inside a word, and up to where its first part is known to hold together. */
export type ScanState = { context: string; joined: number }

/** What was read from a page, from top to bottom. Where nobody knows how a page will look, its lines stand nowhere. */
export type ReadPage = { lines: ReadLine[] }
export type ReadLine = Omit<ReadWord, 'box'> & { box: Box | null; words: ReadWord[] }
/** How sure it is from 0 to 100; null where text was read that needed no guessing. */
export type ReadWord = { text: string; box: Box; confidence: number | null }
/** Fractions of the width and the height of the page, from 0 to 1. */
export type Box = { left: number; top: number; width: number; height: number }

/** Has an engine do one piece of work. Threads are shared fairly between owners. */
export type RunEngine = <Name extends EngineName>(
  name: Name,
  input: Engines[Name]['input'],
  signal: AbortSignal,
  owner: string,
) => Promise<Engines[Name]['output']>
