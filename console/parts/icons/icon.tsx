// Icons of the menu and of common actions: lines on a grid of 16, drawn for this console. The text beside an icon says what it
// means, so an icon says nothing to a screen reader.

const PATHS = {
  overview: 'M2.5 8.5h4v5h-4zM9.5 2.5h4v5h-4zM2.5 2.5h4v3h-4zM9.5 10.5h4v3h-4z',
  requests: 'M2.5 4h11M2.5 8h11M2.5 12h7',
  sessions: 'M2.5 3h8v5.5h-5l-2 2v-2h-1zM12 6h1.5v5.5h-1v2l-2-2h-3V10',
  usage: 'M2.5 13.5h11M4.5 11V8M8 11V3M11.5 11V6',
  keys: 'M10.5 8.5a3 3 0 1 0-3-3c0 .4.1.8.2 1.1L2.5 11.8v1.7h2v-1.5H6v-1.5h1.5l1.4-2.2c.5.1 1 .2 1.6.2zM11 5h.01',
  projects: 'M2.5 4.5v8h11v-7H8L6.5 3.5h-4z',
  budgets: 'M2.5 5.5v7h11v-7zM2.5 5.5l8-2.5v2.5M10.5 9h.01',
  guardrails: 'M8 2l5 2v4c0 3-2 5-5 6-3-1-5-3-5-6V4zM5.8 8l1.6 1.6 3-3.2',
  models: 'M8 2l5.5 3v6L8 14l-5.5-3V5zM2.5 5L8 8l5.5-3M8 8v6',
  tools: 'M9.5 6.5l4-4M11 2.5a3 3 0 1 0 2.5 2.5M8.5 7.5l-6 6M2.5 2.5l4 4M9.5 9.5l4 4',
  playground: 'M5 3l7.5 5L5 13z',
  jobs: 'M8 5v3l2 1.5M13.5 8a5.5 5.5 0 1 1-11 0 5.5 5.5 0 0 1 11 0z',
  batches: 'M2.5 3h8v3h-8zM2.5 8h8v3h-8zM5 13.5h8.5v-8',
  webhooks: 'M2.5 8h8M8 4.5L11.5 8 8 11.5M13.5 3v10',
  audit: 'M4 2.5h5.5L12 5v8.5H4zM6 7h4M6 9.5h4',
  alerts: 'M8 2.5a3.5 3.5 0 0 1 3.5 3.5v3l1.5 2H3l1.5-2V6A3.5 3.5 0 0 1 8 2.5zM6.7 13.3h2.6',
  settings:
    'M2.5 4.5h5M11.5 4.5h2M2.5 11.5h2M8.5 11.5h5M11.5 4.5a2 2 0 1 1-4 0 2 2 0 0 1 4 0zM8.5 11.5a2 2 0 1 1-4 0 2 2 0 0 1 4 0z',
  find: 'M11.5 7a4.5 4.5 0 1 1-9 0 4.5 4.5 0 0 1 9 0zM10.3 10.3l3.2 3.2',
  add: 'M8 3v10M3 8h10',
  close: 'M4 4l8 8M12 4l-8 8',
  previous: 'M8 13V3.5M4 7l4-4 4 4',
  next: 'M8 3v9.5M4 9l4 4 4-4',
  download: 'M8 2.5v7.5M5 7.5L8 10.5l3-3M2.5 13.5h11',
  columns: 'M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10',
  views: 'M4 2.5h8v11L8 10.5l-4 3z',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  done: 'M3 8.5l3.5 3.5L13 4.5',
  refresh: 'M13 6.5A5.3 5.3 0 0 0 3 6M3 3v3h3M3 9.5a5.3 5.3 0 0 0 10 .5M13 13v-3h-3',
  live: 'M9 8a1 1 0 1 1-2 0 1 1 0 0 1 2 0zM5 5a4.2 4.2 0 0 0 0 6M11 5a4.2 4.2 0 0 1 0 6M2.9 2.9a7.2 7.2 0 0 0 0 10.2M13.1 2.9a7.2 7.2 0 0 1 0 10.2',
  edit: 'M3 13l.6-3L10.5 3l2.5 2.5-7 7zM9 4.5L11.5 7',
  remove: 'M3 4.5h10M6 4.5v-2h4v2M4.5 4.5l.5 9h6l.5-9',
  revoke: 'M13.5 8a5.5 5.5 0 1 1-11 0 5.5 5.5 0 0 1 11 0zM4.2 4.2l7.6 7.6',
  record: 'M13.5 8a5.5 5.5 0 1 1-11 0 5.5 5.5 0 0 1 11 0zM9.5 8a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0z',
  raise: 'M3 10l5-5 5 5M3 13.5h10',
  menu: 'M2.5 4h11M2.5 8h11M2.5 12h11',
  docs: 'M8 4C6.5 3 4.5 2.7 2.5 3v9.5c2-.3 4 0 5.5 1 1.5-1 3.5-1.3 5.5-1V3c-2-.3-4 0-5.5 1zM8 4v9.5',
  keyboard: 'M1.5 4h13v8h-13zM4 6.5h.01M6.7 6.5h.01M9.3 6.5h.01M12 6.5h.01M5 9.5h6',
  leave: 'M6.5 2.5h-4v11h4M6 8h7.5M10.5 5l3 3-3 3',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  )
}
