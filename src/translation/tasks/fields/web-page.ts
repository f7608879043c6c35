import Type from '../../../base/schema/type.ts'
import { freeObject, optional } from '../../../base/schema/fields.ts'
import { closedObject } from '../closed-object.ts'

const Text = Type.String()

export const WebImage = closedObject({
  url: Type.String({ description: 'URL of the image.' }),
  description: optional(Text, 'Description of the image on the page.'),
  width: optional(Type.Integer(), 'Width in pixels.'),
  height: optional(Type.Integer(), 'Height in pixels.'),
})

export const webPageFields = {
  url: Type.String({ description: 'URL of the page.' }),
  content: optional(Text, 'Its text, mostly as Markdown.'),
  title: optional(Text, 'Its title.'),
  description: optional(Text, 'How it describes itself.'),
  status_code: optional(Type.Integer(), 'HTTP status of the page.'),
  links: optional(Type.Array(Text), 'URLs that the page links to.'),
  images: optional(Type.Array(WebImage), 'Images on the page.'),
  raw_html: optional(Text, 'Its source.'),
  summary: optional(Text, 'A short summary.'),
  published_date: optional(Text, 'When it was published.'),
  author: optional(Text, 'Who wrote it.'),
  favicon: optional(Text, 'URL of the icon.'),
}

export const WebPage = closedObject(webPageFields)

export const WebSource = closedObject({
  title: optional(Text, 'Title of the page.'),
  url: Type.String({ description: 'URL of the page.' }),
  snippet: optional(Text, 'The passage that was used.'),
  favicon: optional(Text, 'URL of the icon.'),
  published_date: optional(Text, 'When it was published.'),
  author: optional(Text, 'Who wrote it.'),
  id: optional(Text, "The provider's id of the source."),
})

export const webUsageField = optional(freeObject(), 'Usage that the provider reports.')
export const webFailuresField = optional(Type.Array(freeObject()), 'Pages that could not be read, and why.')
export const webStatusField = optional(Text, "Final state, in the provider's words.")
