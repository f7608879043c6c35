/** What a check found out. `advice` says what to do about it. */
export type Finding = { state: 'ok' | 'warning' | 'failed'; subject: string; text: string; advice?: string }

export function ok(subject: string, text: string): Finding {
  return { state: 'ok', subject, text }
}

export function warning(subject: string, text: string, advice: string): Finding {
  return { state: 'warning', subject, text, advice }
}

export function failed(subject: string, text: string, advice: string): Finding {
  return { state: 'failed', subject, text, advice }
}

/** The state is a word, not a colour, so that it can be searched for. */
export function textOf({ state, subject, text, advice }: Finding): string {
  const line = `${state.padEnd(9)}${subject.padEnd(11)}${text}\n`
  return advice === undefined ? line : `${line}${' '.repeat(20)}${advice}\n`
}
