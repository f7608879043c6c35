import type { ComponentType } from 'preact'
import type { IconName } from '../parts/icons/icon.tsx'

/**
 * A screen of the console: one row here, one folder in `screens/`. It is loaded when it is opened. `needs` is the permission
 * without which the API would refuse what the screen asks for; those without it are for every person. A screen without a section
 * is not in the menu.
 */
export type Screen = {
  path: string
  title: string
  needs?: string
  section?: 'Observe' | 'Access' | 'Operate'
  icon?: IconName
  load: () => Promise<{ default: ComponentType }>
}

export const SCREENS: readonly Screen[] = [
  {
    path: '/',
    title: 'Overview',
    icon: 'overview',
    needs: 'usage.read',
    section: 'Observe',
    load: () => import('../screens/overview/overview.tsx'),
  },
  {
    path: '/requests',
    title: 'Requests',
    icon: 'requests',
    needs: 'usage.read',
    section: 'Observe',
    load: () => import('../screens/requests/requests.tsx'),
  },
  {
    path: '/agent-sessions',
    title: 'Agent sessions',
    icon: 'sessions',
    needs: 'usage.read',
    section: 'Observe',
    load: () => import('../screens/agent-sessions/agent-sessions.tsx'),
  },
  {
    path: '/usage',
    title: 'Usage',
    icon: 'usage',
    needs: 'usage.read',
    section: 'Observe',
    load: () => import('../screens/usage/usage.tsx'),
  },
  {
    path: '/keys',
    title: 'Keys',
    icon: 'keys',
    needs: 'keys.read',
    section: 'Access',
    load: () => import('../screens/keys/keys.tsx'),
  },
  {
    path: '/projects',
    title: 'Projects',
    icon: 'projects',
    needs: 'projects.read',
    section: 'Access',
    load: () => import('../screens/projects/projects.tsx'),
  },
  {
    path: '/budgets',
    title: 'Budgets',
    icon: 'budgets',
    needs: 'limits.read',
    section: 'Access',
    load: () => import('../screens/budgets/budgets.tsx'),
  },
  {
    path: '/guardrails',
    title: 'Guardrails',
    icon: 'guardrails',
    needs: 'guardrails.read',
    section: 'Access',
    load: () => import('../screens/guardrails/guardrails.tsx'),
  },
  {
    path: '/models',
    title: 'Models',
    icon: 'models',
    needs: 'projects.read',
    section: 'Operate',
    load: () => import('../screens/models/models.tsx'),
  },
  {
    path: '/mcp',
    title: 'MCP servers',
    icon: 'tools',
    needs: 'config.read',
    section: 'Operate',
    load: () => import('../screens/mcp/mcp.tsx'),
  },
  {
    path: '/playground',
    title: 'Playground',
    icon: 'playground',
    needs: 'keys.write',
    section: 'Operate',
    load: () => import('../screens/playground/playground.tsx'),
  },
  {
    path: '/jobs',
    title: 'Jobs',
    icon: 'jobs',
    needs: 'jobs.read',
    section: 'Operate',
    load: () => import('../screens/jobs/jobs.tsx'),
  },
  {
    path: '/batches',
    title: 'Batches',
    icon: 'batches',
    needs: 'jobs.read',
    section: 'Operate',
    load: () => import('../screens/batches/batches.tsx'),
  },
  {
    path: '/webhooks',
    title: 'Webhooks',
    icon: 'webhooks',
    needs: 'jobs.read',
    section: 'Operate',
    load: () => import('../screens/webhooks/webhooks.tsx'),
  },
  {
    path: '/audit',
    title: 'Audit',
    icon: 'audit',
    needs: 'audit.read',
    section: 'Operate',
    load: () => import('../screens/audit/audit.tsx'),
  },
  {
    path: '/alerts',
    title: 'Alerts',
    icon: 'alerts',
    needs: 'alerts.read',
    section: 'Operate',
    load: () => import('../screens/alerts/alerts.tsx'),
  },
  {
    path: '/settings',
    title: 'Settings',
    icon: 'settings',
    needs: 'config.read',
    section: 'Operate',
    load: () => import('../screens/settings/settings.tsx'),
  },
  { path: '/account', title: 'Your account', load: () => import('../screens/account/account.tsx') },
]
