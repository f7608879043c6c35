/**
 * How well a part of the source was taken over. `exact`: it does the same here. `approximate`: it does something similar.
 * `manual`: a person has to do something. `unsupported`: it is left out, and nothing here does it.
 */
export const OUTCOMES = ['exact', 'approximate', 'manual', 'unsupported'] as const
export type ImportOutcome = (typeof OUTCOMES)[number]

export type Verdict = { outcome: ImportOutcome; note: string; isSecret?: true | undefined }

/** A verdict about one place of the source: `model_list[0].litellm_params.api_key`. It never holds a value of the source. */
export type Finding = Verdict & { path: string; count?: number | undefined }

export function exact(note: string): Verdict {
  return { outcome: 'exact', note }
}

export function approximate(note: string): Verdict {
  return { outcome: 'approximate', note }
}

export function manual(note: string): Verdict {
  return { outcome: 'manual', note }
}

export function unsupported(note: string): Verdict {
  return { outcome: 'unsupported', note }
}

/** The value is in the file of secrets now, and in no other output. */
export function secretMoved(note: string): Verdict {
  return { outcome: 'exact', note, isSecret: true }
}
