/** The mark of Gatehouse: a gate in a wall. `src/http/console/page.ts` has the same path for the icon of the tab and for pages without a script. */
export const MARK_PATH = 'M5 19V6h2.7v1.8H10V6h4v1.8h2.3V6H19v13h-4.1v-3.3a2.9 2.9 0 0 0-5.8 0V19z'
