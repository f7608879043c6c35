import { type Case, ALL, answer, broken } from './case.ts'

export const BROKEN_STREAMS: Case[] = [
  {
    title: 'cut after 40 of 60 words, alone: asked once more, cut again',
    ask: { model: 'faulty/cut-40-of-60', stream: true },
    expect: broken('cut-40-of-60', 40, { 'cut-40-of-60': 2 }),
  },
  {
    title: 'cut after 40 of 60 words once, alone: the same model goes on',
    ask: { model: 'faulty/cut-40-of-60-once', stream: true },
    expect: answer('faulty/cut-40-of-60-once', { calls: { 'cut-40-of-60-once': 2 } }),
  },
  {
    title: 'cut after 40, the fallback says the same: it goes on',
    ask: { model: 'faulty/cut-40-of-60', fallbacks: ['faulty/ok'], stream: true },
    expect: answer('faulty/ok', { calls: { 'cut-40-of-60': 1, ok: 1 } }),
  },
  {
    title: 'cut after 40, the fallback says something else: one error',
    ask: { model: 'faulty/cut-40-of-60', fallbacks: ['faulty/other'], stream: true },
    expect: broken('cut-40-of-60', 40, { 'cut-40-of-60': 1, other: 1 }),
  },
  {
    title: 'cut after 40, the fallback takes the words as its beginning',
    ask: { model: 'faulty/cut-40-of-60', fallbacks: ['carrying/takes-prefill'], stream: true },
    expect: answer('carrying/takes-prefill', { calls: { 'cut-40-of-60': 1, 'takes-prefill': 1 } }),
  },
  {
    title: 'cut after 40, the fallback refuses a beginning: it is asked without one, and the caller never hears of it',
    ask: { model: 'faulty/cut-40-of-60', fallbacks: ['carrying/refuses-prefill'], stream: true },
    expect: answer('carrying/refuses-prefill', {
      calls: { 'cut-40-of-60': 1, 'refuses-prefill': 2 },
    }),
  },
  {
    title: 'stall after 20 words, the fallback says the same',
    ask: { model: 'stalling/stall-20', fallbacks: ['faulty/ok'], stream: true },
    expect: answer('faulty/ok', { calls: { 'stall-20': 1, ok: 1 }, seconds: [11.5, 15] }),
  },
  {
    title: 'stall after 20 words, alone: it fails, and is not asked again',
    ask: { model: 'stalling/stall-20', stream: true },
    expect: {
      ...broken('stall-20', 20, { 'stall-20': 1 }, { code: 'upstream_timeout', limit: 'idle' }),
      seconds: [11.5, 15],
      by: 'stalling/stall-20',
    },
  },
  {
    title: 'data that cannot have been a word: passed over',
    ask: { model: 'faulty/keep-alive-data', stream: true },
    expect: answer('faulty/keep-alive-data', {}, [1]),
  },
  ...['unreadable-event', 'plain-error', 'error-object'].map((state): Case => {
    return {
      title: `${state} in the place of a word, alone: asked once more, broken again`,
      ask: { model: `faulty/${state}`, stream: true },
      expect: broken(state, 40, { [state]: 2 }),
    }
  }),
  ...['unreadable-event-once', 'not-utf8-once', 'flat-error-once', 'done-no-finish-once'].map((state): Case => {
    return {
      title: `${state}, alone: the same model goes on`,
      ask: { model: `faulty/${state}`, stream: true },
      expect: answer(`faulty/${state}`, { calls: { [state]: 2 } }),
    }
  }),
  {
    title: '[DONE] without a finish reason: not complete, and the error names the line of the config file',
    ask: { model: 'faulty/done-no-finish', stream: true },
    expect: broken('done-no-finish', ALL, { 'done-no-finish': 2 }, { says: 'endsWithoutReason' }),
  },
  {
    title: '[DONE] without a finish reason from a provider that always ends like this: complete',
    ask: { model: 'unsaid/done-no-finish', stream: true },
    expect: answer('unsaid/done-no-finish', {}, [1]),
  },
  ...['cut-arguments', 'cut-arguments-done'].map((state): Case => {
    return {
      title: `${state}: half a tool call is not complete, and no other target continues it`,
      ask: { model: `faulty/${state}`, fallbacks: ['faulty/never-asked'], stream: true },
      expect: broken(state, 0, { [state]: 1, 'never-asked': 0 }),
    }
  }),
  {
    title: 'a whole answer to a streamed request: passed on',
    ask: { model: 'faulty/whole-for-stream', stream: true },
    expect: answer('faulty/whole-for-stream', {}, [1]),
  },
  {
    title: 'a stream that is compressed although the gateway did not ask for it: decoded',
    ask: { model: 'faulty/gzipped', stream: true },
    expect: answer('faulty/gzipped', {}, [1]),
  },
  {
    title: 'a finish reason and no [DONE]: complete',
    ask: { model: 'faulty/no-done', stream: true },
    expect: answer('faulty/no-done', {}, [1]),
  },
  {
    title: 'neither a finish reason nor [DONE]: not complete',
    ask: { model: 'faulty/no-done-no-finish', stream: true },
    expect: broken('no-done-no-finish', ALL, { 'no-done-no-finish': 2 }),
  },
]
