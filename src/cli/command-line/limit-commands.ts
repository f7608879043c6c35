import { json, SETTINGS } from './shared-flags.ts'

const many = (value: string, about: string) => ({ type: 'string', value, multiple: true, about }) as const
const one = (value: string, about: string) => ({ type: 'string', value, about }) as const

/** Budgets and rate limits. */
export const LIMIT_COMMANDS = {
  'budgets list': {
    summary: 'list budgets and rate limits with the amount spent',
    flags: { json, ...SETTINGS },
    examples: ['gatehouse budgets list'],
  },
  'budgets show': {
    summary: 'show one budget or rate limit',
    operands: ['ID'],
    flags: SETTINGS,
    examples: ['gatehouse budgets show research'],
  },
  'budgets simulate': {
    summary: 'replay past calls against a limit that you plan',
    details:
      'The command says what would have been refused or clamped, when and for whom. It changes nothing. Each call counts with what it really used, not with what was reserved for it.',
    flags: {
      'applies-to': one('HOLDER', 'all (default), organization:ID, project:ID, user:ID, key:ID or end_user:ID'),
      limit: one('AMOUNT', 'USD, or a number of requests or tokens'),
      window: one('WINDOW', 'second, minute, hour, day, week, month or total'),
      unit: one('UNIT', 'usd (default), requests, tokens, input_tokens or output_tokens'),
      per: one('WHOM', 'key, user or end_user: count the calls of each one separately'),
      timezone: one('ZONE', 'where days, weeks and months begin, such as Europe/Paris'),
      model: many('PATTERN', 'only for these models; repeat it for more'),
      provider: many('NAME', 'only for these providers; repeat it for more'),
      endpoint: many('NAME', 'only for these endpoints; repeat it for more'),
      tag: many('NAME=VALUE', 'only for calls with this tag; repeat it for more'),
      'on-exceeded': one('ACTION', 'clamp or refuse'),
      days: one('DAYS', 'the number of days to replay; 30 by default'),
      json,
      ...SETTINGS,
    },
    examples: [
      'gatehouse budgets simulate --applies-to project:research --limit 50 --window month',
      'gatehouse budgets simulate --unit requests --limit 60 --window minute --per key --days 7',
    ],
  },
} as const
