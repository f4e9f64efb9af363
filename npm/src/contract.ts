/* placeholder */
export interface KnownEvent { readonly type: string; readonly [name: string]: any }
export interface ExtensionEvent { readonly type: `${string}:${string}`; readonly [name: string]: any }
export interface Response { readonly [name: string]: any }
export interface Item { readonly [name: string]: any }
