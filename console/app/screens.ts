import type { ComponentType } from 'preact'

/**
 * A screen of the console: one row here, one folder in `screens/`. It is loaded when it is opened. A screen without `load` is
 * planned and not offered. `needs` is the permission without which the API would refuse what the screen asks for; those
 * without it are for every person. A screen without a section is not in the menu.
 */
export type Screen = {
  path: string
  title: string
  needs?: string
  section?: 'Observe' | 'Access' | 'Operate'
  load?: () => Promise<{ default: ComponentType }>
}

export const SCREENS: readonly Screen[] = [
  {
    ...{ path: '/', title: 'Overview', needs: 'usage.read', section: 'Observe' },
    load: () => import('../screens/overview/overview.tsx'),
  },
  {
    ...{ path: '/requests', title: 'Requests', needs: 'usage.read', section: 'Observe' },
    load: () => import('../screens/requests/requests.tsx'),
  },
  {
    ...{ path: '/agent-sessions', title: 'Sessions', needs: 'usage.read', section: 'Observe' },
    load: () => import('../screens/agent-sessions/agent-sessions.tsx'),
  },
  {
    ...{ path: '/usage', title: 'Usage', needs: 'usage.read', section: 'Observe' },
    load: () => import('../screens/usage/usage.tsx'),
  },
  {
    ...{ path: '/keys', title: 'Keys', needs: 'keys.read', section: 'Access' },
    load: () => import('../screens/keys/keys.tsx'),
  },
  {
    ...{ path: '/projects', title: 'Projects', needs: 'projects.read', section: 'Access' },
    load: () => import('../screens/projects/projects.tsx'),
  },
  {
    ...{ path: '/budgets', title: 'Budgets', needs: 'limits.read', section: 'Access' },
    load: () => import('../screens/budgets/budgets.tsx'),
  },
  {
    ...{ path: '/models', title: 'Models', needs: 'projects.read', section: 'Operate' },
    load: () => import('../screens/models/models.tsx'),
  },
  {
    ...{ path: '/playground', title: 'Playground', needs: 'keys.write', section: 'Operate' },
    load: () => import('../screens/playground/playground.tsx'),
  },
  {
    ...{ path: '/jobs', title: 'Jobs', needs: 'jobs.read', section: 'Operate' },
    load: () => import('../screens/jobs/jobs.tsx'),
  },
  {
    ...{ path: '/webhooks', title: 'Webhooks', needs: 'jobs.read', section: 'Operate' },
    load: () => import('../screens/webhooks/webhooks.tsx'),
  },
  {
    ...{ path: '/audit', title: 'Audit', needs: 'audit.read', section: 'Operate' },
    load: () => import('../screens/audit/audit.tsx'),
  },
  {
    ...{ path: '/alerts', title: 'Alerts', needs: 'alerts.read', section: 'Operate' },
    load: () => import('../screens/alerts/alerts.tsx'),
  },
  {
    ...{ path: '/settings', title: 'Settings', needs: 'config.read', section: 'Operate' },
    load: () => import('../screens/settings/settings.tsx'),
  },
  { path: '/account', title: 'Your account', load: () => import('../screens/account/account.tsx') },
]
