/// A piece of a page that any browser shows: well-formed, without scripts and without anything fetched.
///
/// Words become part of it only through `text` and attributes, which clean and escape them: whatever a device calls itself stays
/// a word.
public struct HTML: Sendable {
    let markup: String

    /// Elements that have no content and no end tag.
    private static let empty: Set<String> = ["br", "hr", "meta", "col"]

    /// Words, whoever wrote them.
    public static func text(_ words: String) -> HTML { HTML(markup: Markup.escaped(words, limit: 4000)) }

    /// An element. Its name and its attributes' names are the program's own.
    public static func element(
        _ name: String, _ attributes: [String: String] = [:], _ children: [HTML] = []
    ) -> HTML {
        let list = attributes.sorted { $0.key < $1.key }.map { " \($0.key)=\"\(Markup.escaped($0.value))\"" }
        let head = "<\(name)\(list.joined())"
        if empty.contains(name) { return HTML(markup: head + "/>") }
        return HTML(markup: "\(head)>\(children.map(\.markup).joined())</\(name)>")
    }

    /// An element with words.
    public static func element(_ name: String, _ attributes: [String: String] = [:], _ words: String) -> HTML
    {
        element(name, attributes, [text(words)])
    }

    /// - Parameters:
    ///   - canvas: What is drawn, in the page's colours.
    ///   - label: What is to be seen, for those who do not see it.
    /// - Returns: The drawing as a part of the page.
    public static func drawing(_ canvas: SVGCanvas, label: String) -> HTML {
        HTML(markup: canvas.embedded(label: label))
    }

    /// A whole file.
    ///
    /// - Parameters:
    ///   - title: Of the window.
    ///   - style: CSS of the program's own.
    ///   - body: What is to be seen.
    /// - Returns: Its text.
    public static func page(title: String, style: String, body: [HTML]) -> String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8"/>
        <meta name="viewport" content="width=device-width, initial-scale=1"/>
        <meta name="color-scheme" content="light dark"/>
        <title>\(Markup.escaped(title))</title>
        <style>
        \(style)
        </style>
        </head>
        <body>
        \(body.map(\.markup).joined(separator: "\n"))
        </body>
        </html>

        """
    }
}
