/**
 * What a reference within a document leads to.
 *
 * In: the text of a reference and the type of the document. Out: the type of the node; `unknown` where the reference leads out of the
 * document or to nothing. Anchors are not looked for: that would mean walking the whole document for each reference.
 */

/** The node that `Ref` means in `Root`. */
export type Resolve<Ref, Root> = Ref extends "#"
  ? Root
  : Ref extends `#/${infer Path}`
    ? Walk<Root, Path>
    : Root extends { readonly $id: infer Id }
      ? Ref extends Id | `${Id & string}#`
        ? Root
        : Ref extends `${Id & string}#/${infer Path}`
          ? Walk<Root, Path>
          : unknown
      : unknown

type Walk<Node, Path extends string> = Path extends `${infer Token}/${infer Rest}`
  ? Walk<Member<Node, Unescaped<Token>>, Rest>
  : Member<Node, Unescaped<Path>>

type Member<Node, Token> = Token extends keyof Node ? Node[Token] : unknown

/** RFC 6901: `~1` is a slash and `~0` a tilde, in this order. */
type Unescaped<Token extends string> = Token extends `${string}~${string}` ? Replaced<Replaced<Token, "~1", "/">, "~0", "~"> : Token

type Replaced<Text extends string, From extends string, To extends string> = Text extends `${infer Before}${From}${infer After}`
  ? `${Before}${To}${Replaced<After, From, To>}`
  : Text
