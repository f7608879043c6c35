/** The programs that `gatehouse configure` knows. */
export const AGENTS = ['claude', 'codex', 'gemini', 'opencode'] as const

const url = {
  type: 'string',
  value: 'URL',
  about: 'the address of the gateway, such as https://ai.example.com',
} as const

/** Coding agents on the machine of a developer. These commands need no installation of the gateway there. */
export const AGENT_COMMANDS = {
  login: {
    summary: 'sign in to a gateway, for coding agents on this machine',
    isOpenEnded: true,
    details:
      'Shows an address and a code, and waits until you have typed the code into the page. The tokens are in a file that only you can read. ' +
      'The operator of the gateway has to turn `agents.signIn` on.',
    flags: { url },
    examples: ['gatehouse login --url https://ai.example.com'],
  },
  token: {
    summary: 'print a fresh token of the sign-in, and nothing else',
    isOpenEnded: true,
    details:
      'For agents that run a program to get their key, such as apiKeyHelper of Claude Code and auth.command of Codex.',
    flags: {},
    examples: ['gatehouse token'],
  },
  logout: {
    summary: 'sign out: the gateway refuses the tokens from now on',
    isOpenEnded: true,
    flags: {},
    examples: ['gatehouse logout'],
  },
  configure: {
    summary: 'let a coding agent use the gateway that you are signed in to',
    details:
      'Writes the configuration file of the agent and keeps everything else in it, except other keys of Claude Code; the earlier file stays beside it until --undo. With --print, nothing ' +
      'is written: the command shows the file, and those that a company deploys to its machines.',
    operands: ['AGENT'],
    choices: AGENTS,
    flags: {
      url,
      print: { type: 'boolean', about: 'show what would be written, and what a company deploys; write nothing' },
      undo: { type: 'boolean', about: 'put the file of the agent back as it was' },
    },
    examples: ['gatehouse configure claude', 'gatehouse configure codex --print', 'gatehouse configure claude --undo'],
  },
} as const
