/// A piece of an HTML page: well-formed, without scripts and without anything fetched, so that any browser shows it.
///
/// Words become part of it only through `text` and attribute values, which are cleaned and escaped: whatever a device
/// calls itself stays a word.
public struct HTML: Sendable {
    let markup: String

    /// Elements that have no content and no end tag.
    private static let empty: Set<String> = ["br", "hr", "meta", "col"]

    /// Words from any source, escaped; at most 4000 characters.
    public static func text(_ words: String) -> HTML { HTML(markup: Markup.escaped(words, limit: 4000)) }

    /// An element with children.
    ///
    /// - Parameters:
    ///   - name: The element's name, a constant of the program; it is not escaped.
    ///   - attributes: Attribute values by name; only the values are escaped.
    ///   - children: The element's content; ignored for elements without content, such as `br`.
    /// - Returns: The element.
    public static func element(
        _ name: String, _ attributes: [String: String] = [:], _ children: [HTML] = []
    ) -> HTML {
        let list = attributes.sorted { $0.key < $1.key }.map { " \($0.key)=\"\(Markup.escaped($0.value))\"" }
        let head = "<\(name)\(list.joined())"
        if empty.contains(name) { return HTML(markup: head + "/>") }
        return HTML(markup: "\(head)>\(children.map(\.markup).joined())</\(name)>")
    }

    /// An element that contains words, which are escaped.
    public static func element(_ name: String, _ attributes: [String: String] = [:], _ words: String) -> HTML
    {
        element(name, attributes, [text(words)])
    }

    /// A drawing as a part of the page.
    ///
    /// - Parameters:
    ///   - canvas: The drawing, in the page's colours.
    ///   - label: Description of the drawing for people who cannot see it.
    /// - Returns: The `svg` element.
    public static func drawing(_ canvas: SVGCanvas, label: String) -> HTML {
        HTML(markup: canvas.embedded(label: label))
    }

    /// A JPEG inside the page.
    ///
    /// - Parameters:
    ///   - base64: The JPEG's bytes in base 64.
    ///   - label: Description of the image for people who cannot see it.
    /// - Returns: The `img` element.
    public static func image(base64: String, label: String) -> HTML {
        let bytes = base64.filter { $0.isASCII && ($0.isLetter || $0.isNumber || "+/=".contains($0)) }
        return HTML(
            markup: "<img src=\"data:image/jpeg;base64,\(bytes)\" alt=\"\(Markup.escaped(label))\"/>")
    }

    /// A whole HTML file.
    ///
    /// - Parameters:
    ///   - title: Title of the window.
    ///   - style: CSS of the program's own; it is not escaped.
    ///   - body: The page's content.
    /// - Returns: The file's text.
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
