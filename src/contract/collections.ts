import Type, { type Static } from '../base/schema/type.ts'
import { nullable, optional, uuid } from '../base/schema/fields.ts'
import { paged, PAGE_FIELDS } from './paging.ts'

const COLLECTION_ID = uuid('Identifies the collection; the `collection_id` of tasks that search it.')
const ITEM_ID = Type.String({ description: 'Identifies an item. Tasks call it `face_id`.' })

export const CollectionRequest = Type.Object(
  {
    model: Type.String({
      description: 'The task that will search the collection and its provider, as `feature/subfeature/provider`.',
      examples: ['image/face_recognition/amazon'],
    }),
    name: optional(Type.String({ minLength: 1, maxLength: 255 }), 'Your name for the collection.'),
  },
  { title: 'CollectionRequest', description: 'A collection to create.' },
)
export type CollectionRequest = Static<typeof CollectionRequest>

export const Collection = Type.Object(
  {
    collection_id: COLLECTION_ID,
    model: Type.String({ description: 'The task that searches the collection and its provider.' }),
    name: nullable(Type.String(), 'Your name for the collection.'),
  },
  { title: 'Collection', description: 'A collection of faces at a provider.' },
)
export type Collection = Static<typeof Collection>

export const CollectionList = paged(Collection, 'CollectionList', "The caller's collections.")
export type CollectionList = Static<typeof CollectionList>

export const DeletedCollection = Type.Object(
  {
    collection_id: COLLECTION_ID,
    deleted: Type.Boolean({ description: 'Always true: what does not exist gets a 404.' }),
  },
  { title: 'DeletedCollection', description: 'The result of the deletion.' },
)
export type DeletedCollection = Static<typeof DeletedCollection>

export const CollectionItemRequest = Type.Object(
  {
    file: Type.String({
      minLength: 1,
      maxLength: 2083,
      format: 'file-input',
      description: 'An image: the id of an upload, or an http(s) URL.',
    }),
  },
  { title: 'CollectionItemRequest', description: 'An image whose faces are added.' },
)
export type CollectionItemRequest = Static<typeof CollectionItemRequest>

export const AddedItems = Type.Object(
  {
    collection_id: COLLECTION_ID,
    item_ids: Type.Array(ITEM_ID, { description: 'The faces that were added. One image may contain several.' }),
    cost: nullable(Type.Number(), 'What the call cost, in USD. Null if the price is not known.'),
  },
  { title: 'AddedItems', description: 'What was added.' },
)
export type AddedItems = Static<typeof AddedItems>

export const CollectionItems = Type.Object(
  {
    collection_id: COLLECTION_ID,
    item_ids: Type.Array(ITEM_ID, { description: 'This page, oldest first.' }),
    ...PAGE_FIELDS,
  },
  { title: 'CollectionItems', description: 'What is in the collection.' },
)
export type CollectionItems = Static<typeof CollectionItems>

export const DeletedItem = Type.Object(
  {
    collection_id: COLLECTION_ID,
    item_id: ITEM_ID,
    deleted: Type.Boolean({ description: 'Always true: what does not exist gets a 404.' }),
  },
  { title: 'DeletedItem', description: 'The result of the deletion.' },
)
export type DeletedItem = Static<typeof DeletedItem>
