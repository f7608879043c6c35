import type { OpenApiDocument } from '../../contract/openapi/document.ts'
import { type Area, areasOf, contents } from './contents.ts'
import { errorsSection, type ProblemRows } from './errors.ts'
import { failuresSection } from './failures.ts'
import { authenticationSection, headersSection } from './headers.ts'
import { type Html, html } from './markup.ts'
import { areaSection } from './operation.ts'
import { receiversSection } from './receivers.ts'
import { schemasSection } from './schemas.ts'
import { startSection } from './start.ts'
import { hasStreams, streamingSection } from './streaming.ts'
import { STYLE } from './style.ts'

/** A placeholder for `UNBUILT_NOTICE`. */
export const NOTICE = '{notice}'

/** For a checkout without the development dependencies. */
export const UNBUILT_NOTICE =
  html`<p class="quiet">The docs page with search and requests to try is not built: this is its text. Run
<code>npm ci</code> with the development dependencies and load this page again. The package and the image contain it.</p>`
    .html

/** Renders the document as one self-contained page: no script, no font, no other host. */
export function docsPage(document: OpenApiDocument, problems: ProblemRows): string {
  const areas = areasOf(document)
  const streams = hasStreams(document)
  return html`<!doctype html>
<html lang="en">
${head(document)}
<body>
<a class="skip" href="#start">Skip to the contents</a>
<header>
<a class="brand" href="#start">${document.info.title}</a> <span class="quiet">API ${document.info.version}</span>
${contents(areas, streams, document.webhooks !== undefined)}
</header>
${main(document, areas, streams, problems)}
<footer>
<p>This page is generated from <a href="../openapi.json">openapi.json</a>, which is generated from the routes of the gateway.</p>
</footer>
</body>
</html>
`.html
}

function head({ info }: OpenApiDocument): Html {
  return html`<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${info.summary}">
<title>${info.title} API</title>
<style>${{ html: STYLE }}</style>
</head>`
}

function main(document: OpenApiDocument, areas: Area[], streams: boolean, problems: ProblemRows): Html {
  const { securitySchemes, headers } = document.components
  return html`<main>
${NOTICE}
${startSection(document)}
${authenticationSection(securitySchemes)}
${areas.map((area) => areaSection(area, document))}
${streams && streamingSection(document)}
${headersSection(headers)}
${document.webhooks && receiversSection()}
${errorsSection(problems)}
${streams && failuresSection()}
${schemasSection(document)}
</main>`
}
