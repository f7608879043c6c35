import Type, { type Static } from '../schema/type.ts'
import { nullable, optional, uuid } from '../schema/fields.ts'
import { paged, PAGE_FIELDS } from './paging.ts'

const COLLECTION_ID = uuid('Identifies the collection; `collection_id` of the task that looks in it.')
const ITEM_ID = Type.String({ description: 'Identifies an item: what the task calls `face_id`.' })

export const CollectionRequest = Type.Object(
  {
    model: Type.String({
      description: 'The task that will look in it and who does it, as `feature/subfeature/provider`.',
      examples: ['image/face_recognition/amazon'],
    }),
    name: optional(Type.String({ minLength: 1, maxLength: 255 }), 'What you call it.'),
  },
  { title: 'CollectionRequest', description: 'A collection to make.' },
)
export type CollectionRequest = Static<typeof CollectionRequest>

export const Collection = Type.Object(
  {
    collection_id: COLLECTION_ID,
    model: Type.String({ description: 'The task that looks in it and who does it.' }),
    name: nullable(Type.String(), 'What you call it.'),
  },
  { title: 'Collection', description: 'A collection of faces at a provider.' },
)
export type Collection = Static<typeof Collection>

export const CollectionList = paged(Collection, 'CollectionList', "The caller's collections.")
export type CollectionList = Static<typeof CollectionList>

export const DeletedCollection = Type.Object(
  {
    collection_id: COLLECTION_ID,
    deleted: Type.Boolean({ description: 'True when it was there; it is gone either way.' }),
  },
  { title: 'DeletedCollection', description: 'What became of the collection.' },
)
export type DeletedCollection = Static<typeof DeletedCollection>

export const CollectionItemRequest = Type.Object(
  {
    file: Type.String({
      minLength: 1,
      maxLength: 2083,
      description: 'A picture: the id of an upload, or an http(s) address.',
    }),
  },
  { title: 'CollectionItemRequest', description: 'A picture whose faces are added.' },
)
export type CollectionItemRequest = Static<typeof CollectionItemRequest>

export const AddedItems = Type.Object(
  {
    collection_id: COLLECTION_ID,
    item_ids: Type.Array(ITEM_ID, { description: 'The faces that were added; one picture may have several.' }),
    cost: nullable(Type.Number(), 'What it cost, in USD. Null when the price is not known.'),
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
    deleted: Type.Boolean({ description: 'True when it was there; it is gone either way.' }),
  },
  { title: 'DeletedItem', description: 'What became of the item.' },
)
export type DeletedItem = Static<typeof DeletedItem>
