internal import FoundationEssentials
internal import Media

/// Makes the elements of XML projects.
enum EditXML {
    /// Makes an element.
    static func element(
        _ name: String, _ attributes: KeyValuePairs<String, String> = [:], text: String? = nil,
        _ children: [XMLElement] = []
    ) -> XMLElement {
        XMLElement(name, attributes, text: text, children)
    }

    /// Makes the content of a file.
    static func data(_ root: XMLElement, type: String? = nil) -> Data {
        Data(root.document(type: type).utf8)
    }

    /// The address of a file of the session folder, relative to a file in `edit/`.
    static func address(of file: String) -> String {
        "../" + file.percentEncoded
    }

    /// A number for XML: at most six digits after the point, without needless ones.
    static func number(_ value: Double) -> String {
        var text = value.decimals(6)
        while text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return text == "-0" ? "0" : text
    }
}
