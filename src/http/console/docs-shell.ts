import { packageVersion } from '../../platform/version.ts'
import { fileNamed, htmlPage } from './page.ts'

// The docs page as browsers load it. All addresses are relative, because a proxy may serve the gateway below a path.

/**
 * As that of the console, without images and sounds of the listener itself: `blob:` shows those that a request of the reader
 * was answered with.
 */
export const DOCS_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src data: blob:; media-src blob:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

/** Placeholders, because the page is kept for all readers. */
export const DOCS_PLACEHOLDERS = { base: '{base_url}', other: '{other_url}', listener: '{listener}' } as const

/** Whether a file belongs to the docs page. The API's listener serves no other one. */
export function isOfDocs(name: string): boolean {
  return /^(?:docs|guides|theme)-/.test(name)
}

export function docsShell(files: readonly string[]): string {
  const { base, other, listener } = DOCS_PLACEHOLDERS
  return htmlPage(
    'Gatehouse API',
    `<meta name="base-url" content="${base}">
<meta name="other-url" content="${other}">
<meta name="listener" content="${listener}">
<meta name="version" content="${packageVersion()}">
<script src="docs/assets/${fileNamed(files, 'theme', '.js')}"></script>
<link rel="stylesheet" href="docs/assets/${fileNamed(files, 'docs', '.css')}">
<script type="module" src="docs/assets/${fileNamed(files, 'docs', '.js')}"></script>`,
    `<div id="docs"></div>
<noscript><main class="plain"><h1>Gatehouse API</h1>
<p>The base URL is <code>${base}</code>. This page needs JavaScript for its search and for trying requests.</p>
<ul><li><a href="docs/text">The whole documentation as one text</a></li>
<li><a href="openapi.json">The OpenAPI document</a></li></ul></main></noscript>`,
  )
}

/** For a checkout without the development dependencies: there is no bundle, and nothing to make it with. */
export const UNBUILT_DOCS = htmlPage(
  'Gatehouse API',
  '',
  `<h1>The docs page is not built</h1>
<p>This checkout cannot build it. Run <code>npm ci</code> with the development dependencies, and load this page again. The package
and the image contain it.</p>
<ul><li><a href="docs/text">The whole documentation as one text</a></li>
<li><a href="openapi.json">The OpenAPI document</a></li></ul>`,
)
