/** The paths at which the console has a screen, without the first one, `/`. console/app/screens.ts says what is there. */
export const CONSOLE_SCREENS = [
  'requests',
  'agent-sessions',
  'usage',
  'keys',
  'projects',
  'budgets',
  'guardrails',
  'models',
  'mcp',
  'playground',
  'jobs',
  'webhooks',
  'audit',
  'alerts',
  'settings',
  'account',
] as const
