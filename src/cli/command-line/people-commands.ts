import { json, SETTINGS } from './shared-flags.ts'

const passwordStdin = {
  type: 'boolean',
  about:
    'read the password from standard input; without this flag, the command makes a random password and shows it once',
} as const

/** People and the audit log. */
export const PEOPLE_COMMANDS = {
  'users create': {
    summary: 'create a person who signs in with a password',
    details: 'The command needs no other account, so it also helps if all accounts are locked out.',
    flags: {
      email: { type: 'string', value: 'ADDRESS', about: 'the e-mail address' },
      name: { type: 'string', value: 'NAME', about: 'the name that lists show; the e-mail address by default' },
      role: { type: 'string', value: 'ROLE', about: 'owner, admin, manager, member (default), auditor or billing' },
      organization: {
        type: 'string',
        value: 'ID',
        about: 'the organization that the role is for; `default` by default',
      },
      project: { type: 'string', value: 'PROJECT', about: 'the project that the role is for; all by default' },
      'password-stdin': passwordStdin,
      ...SETTINGS,
    },
    examples: ['gatehouse users create --email ada@example.com --name Ada --role owner'],
  },
  'users list': {
    summary: 'list people and service accounts with their roles',
    flags: { json, ...SETTINGS },
    examples: ['gatehouse users list'],
  },
  'users reset-password': {
    summary: 'give a person a new password; this ends all of their sessions',
    operands: ['EMAIL'],
    flags: { 'password-stdin': passwordStdin, ...SETTINGS },
    examples: ['gatehouse users reset-password ada@example.com'],
  },
  'users invite': {
    summary: 'make links for people who have an account but cannot sign in yet, such as imported people',
    details:
      'With a link, a person sets the first password. A link works once, for 72 hours, and replaces an earlier link. The gateway sends no mail: send the links yourself. Without an address, and without --all, the command lists these people.',
    optional: 'EMAIL',
    flags: { all: { type: 'boolean', about: 'make a link for each of these people, one on each line' }, ...SETTINGS },
    examples: ['gatehouse users invite', 'gatehouse users invite ada@example.com', 'gatehouse users invite --all'],
  },
  'users disable': {
    summary: 'disable a person: this ends their sessions and revokes their keys',
    operands: ['EMAIL'],
    flags: SETTINGS,
    examples: ['gatehouse users disable ada@example.com'],
  },
  'audit verify': {
    summary: 'check that the audit log was not tampered with',
    details:
      'The command finds rows that were changed, inserted, removed or reordered; with checkpoints also a log that was truncated or rewritten. It exits with 1 if something is wrong.',
    flags: {
      checkpoint: {
        type: 'string',
        value: 'FILE',
        multiple: true,
        about:
          'a file with checkpoints that you keep elsewhere, from webhooks or from lines of the log; repeat it for more',
      },
      key: {
        type: 'string',
        value: 'FILE',
        multiple: true,
        about: 'an earlier public webhook key (PEM) that has signed checkpoints; repeat it for more',
      },
      ...SETTINGS,
    },
    examples: ['gatehouse audit verify', 'gatehouse audit verify --checkpoint checkpoints.jsonl'],
  },
} as const
