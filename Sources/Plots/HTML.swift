internal import MulticamMedia

/// A fragment of an HTML page. The fragment is well-formed and doesn't use scripts or external resources, so
/// any browser can display it.
///
/// Text is added only through `text` and attribute values, which are sanitized and escaped. Device names are
/// therefore always displayed as plain text.
package struct HTML: Sendable {
    let markup: String

    /// Names of void elements, which have no content and no end tag.
    private static let empty: Set<String> = ["br", "hr", "meta", "col"]

    /// Returns text as escaped HTML. The text may come from any source, and is truncated to 4000 characters.
    package static func text(_ words: String) -> HTML { HTML(markup: Markup.escaped(words, limit: 4000)) }

    /// Returns an element with children.
    ///
    /// - Parameters:
    ///   - name: Name of the element. The name isn't escaped and must be a constant.
    ///   - attributes: Values of the element's attributes, by attribute name. Only the attributes' values are
    ///     escaped.
    ///   - children: The element's content. The content is ignored for void elements such as `br`.
    /// - Returns: The HTML element.
    package static func element(
        _ name: String, _ attributes: [String: String] = [:], _ children: [HTML] = []
    ) -> HTML {
        let list = attributes.sorted { $0.key < $1.key }.map { " \($0.key)=\"\(Markup.escaped($0.value))\"" }
        let head = "<\(name)\(list.joined())"
        if empty.contains(name) { return HTML(markup: head + "/>") }
        return HTML(markup: "\(head)>\(children.map(\.markup).joined())</\(name)>")
    }

    /// Returns an element that contains escaped text.
    package static func element(_ name: String, _ attributes: [String: String] = [:], _ words: String) -> HTML
    {
        element(name, attributes, [text(words)])
    }

    /// Returns an element that embeds a drawing in the page.
    ///
    /// - Parameters:
    ///   - canvas: The drawing, which may use the page's colors.
    ///   - label: Text alternative for the drawing.
    /// - Returns: The `svg` element.
    package static func drawing(_ canvas: SVGCanvas, label: String) -> HTML {
        HTML(markup: canvas.embedded(label: label))
    }

    /// Returns an element that embeds a JPEG in the page.
    ///
    /// - Parameters:
    ///   - base64: The JPEG's bytes in Base64.
    ///   - label: Text alternative for the image.
    /// - Returns: The `img` element.
    package static func image(base64: String, label: String) -> HTML {
        let bytes = base64.filter { $0.isASCII && ($0.isLetter || $0.isNumber || "+/=".contains($0)) }
        return HTML(
            markup: "<img src=\"data:image/jpeg;base64,\(bytes)\" alt=\"\(Markup.escaped(label))\"/>")
    }

    /// Returns a complete HTML file.
    ///
    /// - Parameters:
    ///   - title: Title of the window.
    ///   - style: CSS of the page. The CSS isn't escaped and must be a constant.
    ///   - body: The page's content.
    /// - Returns: The file's text.
    package static func page(title: String, style: String, body: [HTML]) -> String {
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

/// Escapes text for a page or a drawing.
enum Markup {
    /// Makes text printable, truncates it to `limit`, and replaces special characters of XML and HTML with
    /// entities. The result is safe between tags and inside quoted attribute values, in XML and in HTML.
    static func escaped(_ words: String, limit: Int = 400) -> String {
        var result = String.UnicodeScalarView()
        // Text is escaped by Unicode scalar, because browsers parse text in this way. In Swift, `"` with a
        // combining accent is a different character from `"`.
        for scalar in words.printable(limit: limit).unicodeScalars {
            switch scalar {
            case "&": result += "&amp;".unicodeScalars
            case "<": result += "&lt;".unicodeScalars
            case ">": result += "&gt;".unicodeScalars
            case "\"": result += "&quot;".unicodeScalars
            case "'": result += "&#39;".unicodeScalars
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}
