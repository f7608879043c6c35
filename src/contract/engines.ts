// The engines that run inside the house: what each is given and what it gives back.

export type Engines = {
  language: { input: { text: string }; output: { code: string; confidence: number }[] }
  sentiment: { input: { text: string }; output: { whole: number; sentences: { text: string; score: number }[] } }
  profanity: { input: { text: string }; output: Finding[] }
  entities: { input: { text: string }; output: (Finding & { text: string })[] }
  keywords: { input: { text: string; most: number }; output: { phrase: string; weight: number }[] }
  summary: { input: { text: string; sentences: number }; output: string[] }
  privacy: { input: { text: string }; output: Finding[] }
  spelling: { input: { text: string }; output: (Finding & { suggestions: string[] })[] }
}

export type EngineName = keyof Engines

/** Something found in a text. Offsets are those of JavaScript strings: `text.slice(start, end)` is it. */
export type Finding = { start: number; end: number; label: string }

/** Has an engine do one piece of work. */
export type RunEngine = <Name extends EngineName>(
  name: Name,
  input: Engines[Name]['input'],
  signal: AbortSignal,
) => Promise<Engines[Name]['output']>
