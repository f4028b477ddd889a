internal import CXML

/// An element of an XML document: its name, its attributes in order, and a text or elements in it.
final class XMLElement {
    private let name: String
    private let text: String?
    private var attributes: [(name: String, value: String)]
    private let children: [XMLElement]

    /// Makes an element.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - attributes: Its attributes, in order.
    ///   - text: A text in it; `nil` for none.
    ///   - children: The elements in it, after the text.
    init(
        _ name: String, _ attributes: KeyValuePairs<String, String>, text: String?, _ children: [XMLElement]
    ) {
        self.name = name
        self.text = text
        self.attributes = attributes.map { ($0.key, $0.value) }
        self.children = children
    }

    /// Adds an attribute after those that are there.
    func addAttribute(_ name: String, _ value: String) { attributes.append((name, value)) }

    /// Writes the document of which this is the root, with indentation. libxml2 escapes all names and texts.
    ///
    /// - Parameter type: Name of the document's type; `nil` for none.
    /// - Returns: The document, declared to be in UTF-8.
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
        // Without memory there is no text at all.
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
