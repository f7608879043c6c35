/**
 * Nothing is inline and nothing comes from elsewhere. Trusted types make a script that would be made from a text an error.
 * `blob:` shows images that the playground has received.
 */
export const CONSOLE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

/** The mark of Gatehouse. console/parts/icons/mark-path.ts has the same path. */
export const MARK_PATH = 'M5 19V6h2.7v1.8H10V6h4v1.8h2.3V6H19v13h-4.1v-3.3a2.9 2.9 0 0 0-5.8 0V19z'

/** The icon of the tab. */
const ICON =
  'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 24 24%22%3E' +
  '%3Crect width=%2224%22 height=%2224%22 rx=%226%22 fill=%22%230f766e%22/%3E' +
  `%3Cpath fill=%22%23fff%22 d=%22${MARK_PATH}%22/%3E%3C/svg%3E`

/** A placeholder for the address of the API, which commands to paste contain. */
export const API_URL = '{api_url}'

/** A placeholder for what the page says before anything else; empty for most pages. */
export const REFUSAL = '{refusal}'

/** The page of every screen: the script draws what its address says. The theme comes first, before anything is painted. */
export function consolePage(files: readonly string[]): string {
  return htmlPage(
    'Gatehouse',
    `<meta name="api-url" content="${API_URL}">
<meta name="refusal" content="${REFUSAL}">
<script src="/assets/${fileNamed(files, 'theme', '.js')}"></script>
<link rel="stylesheet" href="/assets/${fileNamed(files, 'console', '.css')}">
<script type="module" src="/assets/${fileNamed(files, 'console', '.js')}"></script>`,
    `<div id="console"></div>
<noscript><p>${REFUSAL}</p><p>The console needs JavaScript. <code>gatehouse --help</code> and the admin API work without a browser.</p></noscript>`,
  )
}

/** For a checkout without the development dependencies: there is no bundle, and nothing to make it with. */
export const UNBUILT_PAGE = htmlPage(
  'Gatehouse',
  '',
  `<h1>The console is not built</h1>
<p>This checkout cannot build it. Run <code>npm ci</code> without <code>--omit=dev</code>, and load this page again. If it still
fails, <code>npm run check</code> says what is wrong in <code>console/</code>. The package and the image contain the console.</p>
<p>The admin API works without it: <a href="/docs">documentation</a>.</p>`,
)

export function fileNamed(files: readonly string[], prefix: string, end: string): string {
  return files.find((name) => name.startsWith(`${prefix}-`) && name.endsWith(end)) ?? ''
}

export function htmlPage(title: string, head: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${ICON}">
${head}
</head>
<body>
${body}
</body>
</html>
`
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!)
}
