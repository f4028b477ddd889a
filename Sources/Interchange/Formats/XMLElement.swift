internal import CMulticamXML
internal import FoundationEssentials
internal import MulticamMedia

/// An element of an XML document: its name, its attributes in order, and its text or child elements.
final class XMLElement {
    private let name: String
    private let text: String?
    private var attributes: [(name: String, value: String)]
    private let children: [XMLElement]

    /// Creates an element.
    ///
    /// - Parameters:
    ///   - name: Name of the element.
    ///   - attributes: The element's attributes, in order.
    ///   - text: Text content; `nil` for none.
    ///   - children: Child elements, after the text.
    init(
        _ name: String, _ attributes: KeyValuePairs<String, String>, text: String?, _ children: [XMLElement]
    ) {
        self.name = name
        self.text = text
        self.attributes = attributes.map { ($0.key, $0.value) }
        self.children = children
    }

    /// Appends an attribute.
    func addAttribute(_ name: String, _ value: String) { attributes.append((name, value)) }

    /// Returns the document with this element as its root, indented. libxml2 escapes all names and text.
    ///
    /// - Parameter type: Name of the document type; `nil` for none.
    /// - Returns: The document with a UTF-8 declaration.
    func document(type: String?) -> String {
        let document = xmlNewDoc("1.0")
        defer { xmlFreeDoc(document) }
        if let type { xmlCreateIntSubset(document, type, nil, nil) }
        let root = xmlNewDocRawNode(document, nil, name, nil)
        xmlDocSetRootElement(document, root)
        fill(root, of: document)
        var bytes: UnsafeMutablePointer<xmlChar>?
        var count: Int32 = 0
        xmlDocDumpFormatMemoryEnc(document, &bytes, &count, "UTF-8", 1)
        // If memory allocation fails, the document is empty.
        guard let bytes else { return "" }
        defer { CXMLFree(bytes) }
        return String(decoding: UnsafeBufferPointer(start: bytes, count: Int(count)), as: UTF8.self)
    }

    private func fill(_ node: xmlNodePtr?, of document: xmlDocPtr?) {
        for (name, value) in attributes { xmlNewProp(node, name, value) }
        if let text { xmlAddChild(node, xmlNewDocText(document, text)) }
        for child in children {
            let made = xmlAddChild(node, xmlNewDocRawNode(document, nil, child.name, nil))
            child.fill(made, of: document)
        }
    }
}

/// Creates the elements for XML projects.
enum EditXML {
    /// Creates an element.
    static func element(
        _ name: String, _ attributes: KeyValuePairs<String, String> = [:], text: String? = nil,
        _ children: [XMLElement] = []
    ) -> XMLElement {
        XMLElement(name, attributes, text: text, children)
    }

    /// Creates the content of a file.
    static func data(_ root: XMLElement, type: String? = nil) -> Data {
        Data(root.document(type: type).utf8)
    }

    /// Returns the URL of a file in the session folder, relative to a file in `edit/`.
    static func address(of file: String) -> String {
        "../" + file.percentEncoded
    }

    /// Formats a number for XML with at most six decimal places and no trailing zeros.
    static func number(_ value: Double) -> String {
        var text = value.decimals(6)
        while text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return text == "-0" ? "0" : text
    }
}
